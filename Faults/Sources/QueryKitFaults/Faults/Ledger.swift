import Foundation
import QueryKitSQLite

/// The data written by a process that will be killed: batches of entries, each with a total that must match.
///
/// Everything is derived from the number of the batch and the seed, so a reader of the file knows the expected contents.
struct Ledger: Sendable {
    /// The number of batches that are kept. Each new batch deletes the oldest in the same transaction.
    static let kept = 12

    static let migrations: SQLiteMigrations = [
        SQLiteMigration(
            "ledger",
            """
            CREATE TABLE entries (id INTEGER PRIMARY KEY, batch INTEGER NOT NULL, amount INTEGER NOT NULL, body BLOB NOT NULL) STRICT;
            CREATE INDEX entries_by_batch ON entries (batch);
            CREATE TABLE totals (batch INTEGER PRIMARY KEY, count INTEGER NOT NULL, sum INTEGER NOT NULL) STRICT;
            """
        )
    ]

    let seed: UInt64

    /// Every eighth batch is larger than the cache, so it is written to the log before its commit.
    func size(of batch: Int) -> Int {
        var dice = Dice(seed, "size \(batch)")
        return batch % 8 == 0 ? 2_000 + dice.below(2_000) : 1 + dice.below(80)
    }

    func amount(_ batch: Int, _ row: Int) -> Int { (batch &* 7_919 &+ row &* 104_729) % 10_007 }

    func write(_ batch: Int, _ db: SQLiteWriteTransaction) throws {
        let size = size(of: batch)
        let insert = try db.prepare("INSERT INTO entries (batch, amount, body) VALUES (?, ?, zeroblob(?))")
        var sum = 0
        for row in 0..<size {
            let amount = amount(batch, row)
            try insert.run(batch, amount, amount % 900)
            sum += amount
            if row == size / 2 { Role.say("half \(batch)") }
        }
        try db.execute("INSERT INTO totals (batch, count, sum) VALUES (\(batch), \(size), \(sum))")
        try db.execute("DELETE FROM entries WHERE batch = \(batch - Self.kept)")
        try db.execute("DELETE FROM totals WHERE batch = \(batch - Self.kept)")
        Role.say("whole \(batch)")
    }

    static func newest(_ db: SQLiteReadTransaction) throws -> Int {
        guard try db.value(Int.self, "SELECT count(*) FROM sqlite_schema WHERE name = 'totals'") == 1 else { return 0 }
        return try db.value(Int.self, "SELECT max(batch) FROM totals") ?? 0
    }

    /// The state of a file after a kill.
    struct Look: Sendable {
        var newest = 0
        /// A difference from the state after a commit.
        var torn: String?
        var damage: String?
    }

    func look(_ db: SQLiteReadTransaction) throws -> Look {
        var look = Look()
        let found = try db.value(String.self, "PRAGMA integrity_check")
        if found != "ok" { look.damage = found ?? "nothing" }
        let tables = try db.value(Int.self, "SELECT count(*) FROM sqlite_schema WHERE name IN ('entries', 'totals', 'entries_by_batch')")
        guard tables == 3 else {
            if tables != 0 { look.torn = "the migration was applied only in part" }
            return look
        }
        look.newest = try Self.newest(db)
        let batches = Array(max(1, look.newest - Self.kept + 1)..<(look.newest + 1))
        let totals = try db.map("SELECT batch, count, sum FROM totals ORDER BY batch") { row in
            [try row[0], try row[1], try row[2]] as [Int]
        }
        let entries = try db.map(
            "SELECT batch, count(*), sum(amount), sum(length(body) = amount % 900) FROM entries GROUP BY batch ORDER BY batch"
        ) {
            row in [try row[0], try row[1], try row[2], try row[3]] as [Int]
        }
        let wanted = batches.map { batch in
            let size = size(of: batch)
            return [batch, size, (0..<size).reduce(0) { $0 + amount(batch, $1) }, size]
        }
        if totals != wanted.map({ Array($0.prefix(3)) }) { look.torn = "totals \(totals)" }
        if entries != wanted { look.torn = "entries \(entries)" }
        return look
    }
}
