import DemoActs
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CodeTests {
    @Test(arguments: 1...Act.all.count)
    func `the code beside an act is what its source contains`(number: Int) throws {
        let code = Act.all[number - 1].code
        let acts = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../Sources/DemoActs/Acts")
        let source = try String(contentsOf: acts.appending(path: code.file), encoding: .utf8).components(separatedBy: "\n")
        for line in code.lines where !line.text.isEmpty {
            #expect(source[line.number - 1].trimmingCharacters(in: .whitespaces) == line.text.trimmingCharacters(in: .whitespaces))
        }
        #expect(code.lines.contains { $0.text.contains("stage.passes") })
    }

    @Test func `each act shows the code of its own file`() {
        #expect(
            Act.all.map(\.code.file) == [
                "ManyCallers.swift", "StaleWhileRevalidate.swift", "CommitElsewhere.swift", "OptimisticUpdate.swift", "OfflineQueue.swift",
                "Pages.swift", "Backoff.swift", "LogOut.swift", "Causes.swift",
            ]
        )
    }
}
