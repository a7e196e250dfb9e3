import Foundation
import QueryKitSQLite

/// Another process holds the write lock: a waiting write either gets its turn, fails with an error that names the lock, or is cancelled.
enum Locks {
    private static let migrations: SQLiteMigrations = [SQLiteMigration("t", "CREATE TABLE t (id INTEGER PRIMARY KEY) STRICT")]

    /// Holds the lock, after printing "held", until the parent allows it to continue.
    static let holder = Role("lock-holder") { trial, arguments in
        let database = try await SQLiteDatabase.open(.file(URL(filePath: arguments[0])), migrations: migrations)
        try await database.write { db in
            try db.execute("INSERT INTO t DEFAULT VALUES")
            Role.say("held")
            _ = readLine()
        }
        Role.say("done")
        await database.close()
    }

    static func run(_ trial: Trial) async throws {
        let url = trial.file("lock.sqlite")
        let patient = try await SQLiteDatabase.open(.file(url), migrations: migrations)
        try await wait(trial, url, patient)
        try await leave(trial, url, patient)
        try await giveUp(trial, url)
        try await outlive(trial, url, patient)
        await patient.close()
    }

    private static func hold(_ trial: Trial, _ url: URL) async throws -> Child {
        let child = try Child(holder, of: trial, [url.path(percentEncoded: false)])
        trial.expect(await child.line(), "held", "the process that takes the lock")
        return child
    }

    private static func count(_ database: SQLiteDatabase) async throws -> Int {
        try await database.read { db in try db.value(Int.self, "SELECT count(*) FROM t") ?? -1 }
    }

    private static func insert(_ database: SQLiteDatabase) async throws {
        try await database.write { db in try db.execute("INSERT INTO t DEFAULT VALUES") }
    }

    private static func wait(_ trial: Trial, _ url: URL, _ database: SQLiteDatabase) async throws {
        let child = try await hold(trial, url)
        let writes = (0..<3).map { _ in Task { try await insert(database) } }
        // Readers don't wait for the lock.
        trial.expect(try await count(database), 0, "rows visible while the lock is held")
        try await Task.sleep(for: .milliseconds(200))
        child.say("go")
        for write in writes { await trial.expectSuccess("a write that has waited") { try await write.value } }
        trial.expect(try await count(database), 4, "rows after all writes")
        await child.end()
    }

    private static func leave(_ trial: Trial, _ url: URL, _ database: SQLiteDatabase) async throws {
        let child = try await hold(trial, url)
        let writes = (0..<3).map { _ in Task { try await insert(database) } }
        try await Task.sleep(for: .milliseconds(100))
        let start = ContinuousClock.now
        for write in writes { write.cancel() }
        for write in writes {
            do {
                try await write.value
                trial.fail("a write succeeded although it was cancelled before its turn")
            } catch {
                trial.check(error is CancellationError, "a cancelled write failed with \(error)")
            }
        }
        let time = start.duration(to: .now)
        trial.check(time < .milliseconds(500), "it took \(time) to cancel a waiting write")
        trial.note("cancelled after \(time.milliseconds) ms")
        child.say("go")
        await child.end()
        trial.expect(try await count(database), 5, "rows after the cancelled writes")
    }

    private static func giveUp(_ trial: Trial, _ url: URL) async throws {
        var configuration = SQLiteDatabase.Configuration()
        configuration.busyTimeout = .milliseconds(150)
        let child = try await hold(trial, url)
        // No migration is needed, so opening must not wait for the lock.
        let database = try await SQLiteDatabase.open(.file(url), migrations: migrations, configuration: configuration)
        let start = ContinuousClock.now
        await trial.expectError([.busy], saying: "lock", "a write beyond the busy timeout") { try await insert(database) }
        let time = start.duration(to: .now)
        trial.check(time >= .milliseconds(140) && time < .milliseconds(1_500), "it was busy after \(time)")
        trial.note("busy after \(time.milliseconds) ms")
        child.say("go")
        trial.expect(await child.line(), "done", "the process that had the lock")
        await trial.expectSuccess("a write after one that was busy") { try await insert(database) }
        await child.end()
        await database.close()
    }

    /// The lock is released when the process that holds it ends.
    private static func outlive(_ trial: Trial, _ url: URL, _ database: SQLiteDatabase) async throws {
        let before = try await count(database)
        let child = try await hold(trial, url)
        let write = Task { try await insert(database) }
        try await Task.sleep(for: .milliseconds(50))
        child.kill()
        await trial.expectSuccess("a write that waited for a process that died") { try await write.value }
        trial.expect(try await count(database), before + 1, "rows after that")
        trial.tally.kills += 1
        await child.end()
    }
}
