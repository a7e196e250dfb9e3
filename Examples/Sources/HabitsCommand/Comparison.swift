import Foundation
import HabitsApp
import Terminal

/// The session in all five ways, and the table of their reads.
struct Comparison {
    let sessions: [Session]

    /// Runs the session in each way, with a temporary file. A second process of this program acts as the widget.
    ///
    /// - Throws: A ``ScreensDiffer`` if a step shows different screens.
    static func run() async throws -> Comparison {
        let folder = FileManager.default.temporaryDirectory.appending(path: "habits-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var sessions: [Session] = []
        for way in Way.allCases {
            let file = folder.appending(path: "\(way.rawValue).sqlite")
            sessions.append(try await SessionRunner(way, file: file, widget: markInOtherProcess).run())
        }
        let comparison = Comparison(sessions: sessions)
        try comparison.compareScreens()
        return comparison
    }

    var lines: [String] {
        let names = sessions.map(\.way.rawValue)
        let table = Table([.init("statements that read")] + names.map { .init($0, .right) }, rows: rows.map { $0.map { Line($0) } })
        return sessions.map { "\($0.way.rawValue)  \($0.way.title)" }
            + [""] + table.lines(width: 100).map(\.text)
            + ["", "The screens of all ways were equal after each of \(sessions[0].results.count) steps."]
    }

    private var rows: [[String]] {
        let chapters = Chapter.allCases.map { chapter in [chapter.rawValue] + sessions.map { "\($0.readCount(of: chapter))" } }
        return chapters + [["total"] + sessions.map { "\($0.readCount)" }, ["fewer than a"] + sessions.map(saving)]
    }

    private func saving(of session: Session) -> String {
        let share = 1 - Double(session.readCount) / Double(sessions[0].readCount)
        return session.way == sessions[0].way ? "" : String(format: "%.1f %%", 100 * share)
    }

    private func compareScreens() throws {
        for session in sessions.dropFirst() {
            for (number, (first, other)) in zip(sessions[0].results, session.results).enumerated() where first.screen != other.screen {
                throw ScreensDiffer(way: session.way, step: number + 1)
            }
        }
    }

    private static func markInOtherProcess(in file: URL) async throws {
        let process = Process()
        process.executableURL = Bundle.main.executableURL
        process.arguments = ["--file", file.path, "mark", Session.habitOfWidget, "\(Session.week.lastDay)"]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw WidgetFailed(code: process.terminationStatus) }
    }
}

/// Two ways showed different screens.
struct ScreensDiffer: Error, CustomStringConvertible {
    let way: Way
    let step: Int

    var description: String { "After step \(step), way \(way.rawValue) showed another screen than way a." }
}

/// The process of the widget ended with an error, which it has printed.
struct WidgetFailed: Error, CustomStringConvertible {
    let code: Int32

    var description: String { "The widget could not mark a habit: its process ended with code \(code)." }
}
