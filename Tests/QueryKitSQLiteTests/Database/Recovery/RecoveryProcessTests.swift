import Foundation
import QueryKit
import SQLiteTestSupport
import Testing

@testable import QueryKitSQLite

/// Several processes that open a damaged file at the same moment.
struct RecoveryProcessTests {
    private static let processCount = 4
    private static let rowCount = 10

    private static func fileName(_ round: Int) -> String { "\(round).sqlite" }

    /// Opens each file at the same time as the other processes, and writes rows.
    private static func takePart(_ number: Int, in folder: String, rounds: Int) async throws {
        for round in 0..<rounds {
            try Data().write(to: URL(filePath: "\(folder)/\(round).ready-\(number)"))
            while !(0..<processCount).allSatisfy({ FileManager.default.fileExists(atPath: "\(folder)/\(round).ready-\($0)") }) {}
            // Different orders of the steps.
            for _ in 0..<Int.random(in: 0..<5_000) { _ = Disk.exists(folder) }
            var configuration = SQLiteDatabase.Configuration()
            configuration.check = .full
            configuration.busyTimeout = .seconds(60)
            let url = URL(filePath: "\(folder)/\(fileName(round))")
            let database = try await SQLiteDatabase.open(.file(url), migrations: Pantry.migrations, configuration: configuration)
            for row in 0..<rowCount {
                try await database.execute("INSERT INTO notes (text) VALUES (\("process \(number) row \(row)"))")
            }
            try await database.checkpoint()
            await database.close()
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: ["header", "page"])
    func `D9 the file that is set aside stays unchanged, and no commit is lost, if several processes meet the damage`(_ damage: String)
        async throws
    {
        let folder = try WatchedFolder()
        let rounds = 12
        var pages = PantryPages(bytes: try await Pantry.file())
        if damage == "header" {
            for offset in 0..<16 { pages.bytes[offset] = 0 }
        } else {
            let url = URL(filePath: folder.path(of: "sound"))
            try Data(pages.bytes).write(to: url)
            pages.zero(pages.leaves(below: try Pantry.rootPage(of: "food", in: url))[1])
        }
        for round in 0..<rounds { try Data(pages.bytes).write(to: URL(filePath: folder.path(of: Self.fileName(round)))) }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<Self.processCount {
                group.addTask { [path = folder.path] in
                    await #expect(processExitsWith: .success) { [number = number as Int, path = path as String, rounds = rounds as Int] in
                        try await Self.takePart(number, in: path, rounds: rounds)
                    }
                }
            }
        }
        for round in 0..<rounds {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            let kept = names.filter { $0.hasPrefix("\(Self.fileName(round)).damaged-") }
            #expect(kept.count == 1, "round \(round) \(kept)")
            for name in kept { #expect(Array(try Data(contentsOf: URL(filePath: folder.path(of: name)))) == pages.bytes, "round \(round)") }
            let url = URL(filePath: folder.path(of: Self.fileName(round)))
            let database = try await SQLiteDatabase.open(.file(url), migrations: Pantry.migrations)
            #expect(
                try await database.count("SELECT count(*) FROM notes WHERE text LIKE 'process%'") == Self.processCount * Self.rowCount,
                "round \(round)"
            )
            #expect(try await database.integrityCheck().filter { !$0.contains("with a reference to") } == [])
            await database.close()
        }
    }
}
