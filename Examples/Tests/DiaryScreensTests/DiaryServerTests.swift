import DiaryScreens
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct DiaryServerTests {
    @Test(arguments: [
        ("postgresql://db.example.com/diary", [:], "postgresql://db.example.com/diary"),
        ("postgres://ada@db/diary?sslmode=require", [:], "postgres://ada@db/diary?sslmode=require"),
        ("postgresql://ada:secret@db:5433/diary", [:], "postgresql://ada@db:5433/diary"),
        ("postgresql://ada:s@cret@db/diary", [:], "postgresql://ada@db/diary"),
        ("postgresql://ada:s/cret@db/diary", [:], "postgresql://ada@db/diary"),
        ("postgresql:///diary?host=/tmp&password=secret&user=ada", [:], "postgresql:///diary?host=/tmp&user=ada"),
        (nil, ["FOOD_DIARY_DB": "postgresql://db/diary?password=secret"], "postgresql://db/diary"),
        ("diary.db", ["FOOD_DIARY_DB": "postgresql://db/diary"], nil), ("postgresql.db", [:], nil), (nil, [:], nil),
    ])
    func `a connection string names a server, and messages don't contain its password`(
        option: String?,
        environment: [String: String],
        name: String?
    ) {
        #expect(DiaryServer(option: option, environment: environment)?.name == name)
    }

    @Test func `without PostgreSQL the error names the command that builds it in`() throws {
        let url = "postgresql://ada:secret@db.example.com/diary"
        let error = try #require(DiaryServer(option: url, environment: [:])).errorWithoutPostgres
        #expect(
            error.description
                == "This food-diary was built without PostgreSQL. To build one that can open postgresql://ada@db.example.com/diary: swift build --package-path Examples --scratch-path Examples/.build-postgres --traits Postgres --product food-diary"
        )
        #if !Postgres
            let outcome = try CommandFolder().run("today", "--db", url)
            #expect(outcome.code == 1 && outcome.output.isEmpty)
            #expect(outcome.remarks.hasPrefix("This food-diary was built without PostgreSQL."))
        #endif
    }
}

#if Postgres
    /// The program with a diary on a server: each process stands for a machine.
    @Suite(
        .timeLimit(.minutes(10)),
        .serialized,
        .enabled(if: ProcessInfo.processInfo.environment["QUERYKIT_POSTGRES"] != nil, "make test-postgres starts a server")
    )
    final class PostgresCommandTests {
        private let folder: CommandFolder
        private let server: String
        private let database = "diary_\(UUID().uuidString.prefix(8).lowercased())"
        private let url: String

        init() throws {
            folder = try CommandFolder()
            server = try #require(ProcessInfo.processInfo.environment["QUERYKIT_POSTGRES"])
            url = server.replacingOccurrences(of: "/postgres?", with: "/\(database)?")
            try Self.psql(server, "CREATE DATABASE \(database)")
        }

        deinit { try? Self.psql(server, "DROP DATABASE \(database) WITH (FORCE)") }

        private static func psql(_ url: String, _ sql: String) throws {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--command", sql, url]
            process.standardInput = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            try #require(process.terminationStatus == 0, "\(sql)")
        }

        private func run(_ words: String...) throws -> CommandFolder.Outcome { try folder.run(words + ["--db", url]) }

        @Test func `every command works on a server`() throws {
            let seeded = try run("seed", "--days", "40", "--ingredients", "200", "--per-day", "3")
            #expect(seeded.code == 0, "\(seeded)")
            #expect(try run("log", "cake", "100g", "--kcal", "300").code == 0)
            #expect(try run("today").output.contains("cake"))
            let number = try #require(
                try run("today").output.split(separator: "\n").first { $0.contains("cake") }?.split(separator: " ").first
            )
            #expect(try run("edit", String(number), "--amount", "50g", "--yes").code == 0)
            #expect(try run("today").output.contains("50 g"))
            #expect(try run("export", "entries.csv", "--kind", "entries").code == 0)
            #expect(try run("export", "foods.json", "--kind", "ingredients").code == 0)
            #expect(try run("delete", String(number), "--yes").code == 0)
            #expect(try run("import", "entries.csv", "--kind", "entries").code == 0)
            #expect(try run("import", "foods.json", "--kind", "ingredients").code == 0)
            for words in [
                ["search", "bred"], ["context", "two eggs"], ["month"], ["trends"], ["stats"], ["snapshot"],
                ["report", "--html", "report.html"],
                ["eval-search", "--mine", "--samples", "20"], ["doctor"], ["doctor", "--repair"], ["doctor", "--json"],
                ["today", "--json"],
            ] {
                let outcome = try folder.run(words + ["--db", url])
                #expect(outcome.code == 0, "\(words): \(outcome)")
            }
            let forced = try run("doctor", "--repair", "--force")
            #expect(forced.code == 1 && forced.remarks.contains("pg_dump --file diary.sql"))
            #expect(try run("doctor", "--acknowledge").code == 1)
        }

        @Test func `two machines that watch follow what a third one logs`() throws {
            #expect(try run("log", "bread", "60g", "--kcal", "150").code == 0)
            let watching = try (0..<2).map { _ in
                let terminal = try CommandFolder.Terminal()
                let process = try folder.process(["watch", "--db", url], environment: ["TERM": "xterm"])
                (process.standardInput, process.standardOutput, process.standardError) = (terminal.near, terminal.near, terminal.near)
                try process.run()
                try terminal.near.close()
                return (terminal, process)
            }
            for (terminal, _) in watching { #expect(terminal.read(until: "bread")) }
            #expect(try run("log", "cake", "100g", "--kcal", "300").code == 0)
            for (terminal, _) in watching { #expect(terminal.read(until: "cake")) }
            for (terminal, process) in watching {
                #expect(kill(process.processIdentifier, SIGTERM) == 0)
                _ = terminal.read(until: nil)
                process.waitUntilExit()
                #expect(process.terminationReason == .exit && process.terminationStatus == 128 + SIGTERM)
            }
        }

        @Test func `a database that doesn't exist is a failure with a message`() throws {
            let missing = try folder.run("today", "--db", url.replacingOccurrences(of: database, with: "nowhere"))
            #expect(missing.code == 1 && missing.remarks.contains("nowhere"), "\(missing)")
        }
    }
#endif
