import CSQLite
import Foundation
import QueryKit

/// Fills a new database with the readable contents of a damaged one.
struct Salvage {
    /// The number of saved rows by table.
    private(set) var rows: [String: Int] = [:]
    /// Tables that are incomplete, or may be.
    private(set) var incomplete: Set<String> = []
    /// Whether anything in the old database could be read.
    private(set) var isReadable = false
    /// The number of rows known to be missing by table (`missing`), and by table and partition (`missingPartitions`).
    private(set) var missing: [String: Int] = [:]
    private(set) var missingPartitions: [String: [String: Int]] = [:]
    /// The number of texts that were not valid UTF-8, by table.
    private(set) var mendedTexts: [String: Int] = [:]
    /// The unacknowledged reports of the damaged database.
    private(set) var earlier: [SQLiteReport.Recovery] = []
    /// The migrations that were applied.
    private(set) var migrated: [String] = []

    private let target: Connection
    private let source: Connection?
    /// The schema that the damaged file had according to its record; `nil` if there is none.
    private let recorded: SchemaShape?
    /// Internal tables that are saved like others.
    private let kept: Set<String>

    /// - Parameters:
    ///   - path: A copy of the damaged file; `nil` if nothing can be read.
    ///   - target: An empty database.
    ///   - migrations: They create the schema. Other parts of the schema come from the damaged file.
    init(from path: String?, to target: Connection, _ migrations: SQLiteMigrations, _ configuration: SQLiteDatabase.Configuration) throws {
        self.target = target
        // If no migrations are passed here, other code has applied the migrations, and the saved list must prevent that code from applying
        // them again.
        kept = migrations.steps.isEmpty ? ["querykit_migrations"] : []
        source = path.flatMap { Self.open($0) }
        recorded = source.flatMap { try? SchemaRecord.shape(on: $0) }
        let entries = source?.schemaEntries() ?? []
        isReadable = entries.contains { $0.type == "table" }
        // First applies only the migrations that the old schema had, so that later migrations change the saved rows.
        migrated = try target.migrate(try known(of: migrations))
        if isReadable, let source {
            earlier = RecoveryLog.all(on: source)
            try fill(entries, from: source, at: path)
            countMissing(configuration, in: source)
        }
        try beginLog(configuration)
        migrated += try target.migrate(migrations)
        try rebuild(configuration)
        if recorded != nil || !migrations.steps.isEmpty { try recordSchema() }
        incomplete.formUnion(try target.rows("SELECT DISTINCT \"table\" FROM pragma_foreign_key_check") { try $0[0] })
    }

    /// Opens a copy of a damaged file, with its recorded schema if possible.
    private static func open(_ path: String) -> Connection? {
        // SQLite reads the restored schema only when the copy is opened again.
        if let connection = openReadable(path) { try? SchemaRecord.restore(on: connection) }
        return openReadable(path)
    }

    /// Opens a copy of a damaged file. If a part of its schema can't be read, SQLite gets the parts that can.
    private static func openReadable(_ path: String) -> Connection? {
        func connect() -> Connection? { try? Connection(path: path, settings: ConnectionSettings(mode: .salvage)) }
        var connection = connect()
        // After the first error, SQLite continues with the entries before the damage.
        for _ in 0..<2 {
            let count = try? connection?.value(Int.self, "SELECT count(type || name || sql) FROM sqlite_schema")
            if connection == nil || count != nil { return connection }
        }
        // The pages are complete only with the contents of the log. The log is emptied here, because it must not replace the mended page
        // later.
        guard (try? connection?.checkpoint(SQLITE_CHECKPOINT_TRUNCATE))?.isComplete == true else { return connection }
        connection = nil
        if let schema = (try? DamagedFile(path, isReadOnly: true)).flatMap({ SchemaPages($0) }), let page = schema.firstPage {
            try? Disk.write(page, to: path, at: Int64(FileHeader.count))
        }
        return connect()
    }

    /// Stores the report of the recovery in the new database.
    func note(_ recovery: SQLiteReport.Recovery) throws { try RecoveryLog.begin(recovery, on: target, after: earlier) }

    /// The migrations that were applied to the damaged database, or all migrations if that is unknown. An empty list counts as unknown,
    /// because its page may be the damaged one.
    private func known(of migrations: SQLiteMigrations) throws -> SQLiteMigrations {
        guard !migrations.steps.isEmpty, let source, let applied = try? source.appliedMigrations(), !applied.isEmpty else {
            return migrations
        }
        do {
            let plan = try MigrationPlan(migrations, applied: applied)
            return SQLiteMigrations(Array(migrations.steps.dropLast(plan.pending.count)))
        } catch {
            // Wrong names alone are part of the damage. But if the list contains all known migrations and more, a newer version has written
            // it.
            let isNewer = zip(applied, migrations.steps).allSatisfy { $0.name == $1.name } && applied.count > migrations.steps.count
            if isNewer { throw error }
            return migrations
        }
    }

    // MARK: Tables

    private mutating func fill(_ entries: [SchemaEntry], from source: Connection, at path: String?) throws {
        try target.setTriggers(false)
        try target.run("PRAGMA foreign_keys = 0")
        let entries = entries.filter { isWanted($0.name) }
        let lost = lostEntries(among: entries)
        for entry in lost where entry.type == "table" { make(entry) }
        let shadows = source.shadowTables(among: entries).union(target.shadowTables(among: target.schemaEntries()))
        for entry in entries where entry.type == "table" && !shadows.contains(entry.name.lowercased()) { make(entry) }
        for entry in target.schemaEntries()
        where entry.type == "table" && isWanted(entry.name) && !shadows.contains(entry.name.lowercased()) {
            // A virtual table stores no rows itself. `rebuild` restores its contents.
            if entry.isVirtual { incomplete.insert(entry.name) } else { try copy(entry.name, from: source) }
        }
        if let path { carve(incomplete, in: path, from: source) }
        for entry in entries + lost where entry.type != "table" { make(entry) }
        if let recorded { incomplete.formUnion(recorded.missing(in: try SchemaShape(of: target)).map(\.table)) }
        copySequence(from: source)
        target.forgetStatements()
        try target.run("PRAGMA foreign_keys = 1")
        try target.setTriggers(true)
    }

    /// The recorded parts of the schema that the damaged file lacks.
    private func lostEntries(among entries: [SchemaEntry]) -> [SchemaEntry] {
        guard let recorded else { return [] }
        let found = Set(entries.map { "\($0.type) \($0.name.foldedName)" })
        return recorded.parts.filter { $0.kind != "column" && !found.contains("\($0.kind) \($0.name.foldedName)") }
            .map { SchemaEntry(type: $0.kind, name: $0.name, table: $0.table, sql: $0.sql) }
    }

    private func recordSchema() throws {
        try target.run("BEGIN IMMEDIATE")
        do {
            try SchemaRecord.write(on: target)
            try target.run("COMMIT")
        } catch {
            target.rollBack()
            throw error
        }
    }

    private func isWanted(_ name: String) -> Bool { !Access.isInternal(name) || kept.contains(name) }

    /// Creates an object that no migration has created. Its SQL comes from a damaged file, so it is restricted like an app's statement.
    private mutating func make(_ entry: SchemaEntry) {
        do {
            let count = try target.value(
                Int.self,
                "SELECT count(*) FROM sqlite_schema WHERE type = ? AND name = ? COLLATE NOCASE",
                [.text(entry.type), .text(entry.name)]
            )
            if count != 0 { return }
            guard entry.sql.uppercased().hasPrefix("CREATE ") else {
                incomplete.insert(entry.table)
                return
            }
            _ = try target.prepare(entry.sql, for: .writer).step()
            target.forgetStatements()
        } catch {
            incomplete.insert(entry.table)
        }
    }

    private mutating func copy(_ table: String, from source: Connection) throws {
        guard let copying = try TableSalvage(table, from: source, to: target) else {
            // A table that is neither in the file nor in its record was dropped by the app.
            if recorded?.hasTable(table) != false { incomplete.insert(table) }
            return
        }
        try target.run("BEGIN IMMEDIATE")
        do {
            let seeds = try setSeedsAside(table)
            try copying.copy()
            // Rows that the migrations have inserted are needed only if the user's rows are lost.
            if let seeds { try putBack(seeds, into: table, !copying.isComplete) }
            try target.run("COMMIT")
        } catch {
            target.rollBack()
            throw error
        }
        if Access.isInternal(table) { return }
        if copying.hasRead || copying.isComplete { rows[table] = copying.rows }
        if copying.mendedTexts > 0 { mendedTexts[table] = copying.mendedTexts }
        if !copying.isComplete || copying.losesColumns || copying.lacksColumns { incomplete.insert(table) }
    }

    /// Moves the rows that migrations have inserted into a table to a temporary table, because the user may have changed or deleted these
    /// rows. Returns the list of columns; `nil` if there are no such rows.
    private func setSeedsAside(_ table: String) throws -> String? {
        let name = target.quoted(table)
        guard try target.value(Int.self, "SELECT EXISTS (SELECT 1 FROM main.\(name))") == 1 else { return nil }
        let columns = try target.columns(of: table).map { target.quoted($0.name) }.joined(separator: ", ")
        try target.run("CREATE TEMP TABLE querykit_seeds AS SELECT \(columns) FROM main.\(name)")
        try target.run("DELETE FROM main.\(name)")
        return columns
    }

    private func putBack(_ columns: String, into table: String, _ areWanted: Bool) throws {
        if areWanted {
            try target.run("INSERT OR IGNORE INTO main.\(target.quoted(table)) (\(columns)) SELECT \(columns) FROM temp.querykit_seeds")
        }
        target.forgetStatements()
        try target.run("DROP TABLE temp.querykit_seeds")
    }

    /// Adds the rows of incomplete tables that are on unreachable pages.
    private mutating func carve(_ tables: Set<String>, in path: String, from source: Connection) {
        let carved = tables.sorted().compactMap { try? CarvedTable($0, source, target) }
        if carved.isEmpty { return }
        // The pages are complete only with the contents of the log.
        _ = try? source.checkpoint()
        let roots = try? source.rows("SELECT rootpage FROM sqlite_schema WHERE rootpage > 0") { try $0[0] as Int }
        guard let roots, let file = try? DamagedFile(path, isReadOnly: true), let carver = PageCarver(file, roots: [1] + roots) else {
            return
        }
        for table in carved {
            let rows = carver.rows { types in table.fits(types) && !carved.contains { $0.name != table.name && $0.fits(types) } }
            guard !rows.isEmpty, let count = try? table.insert(rows, into: target), count > 0 else { continue }
            self.rows[table.name, default: 0] += count
            // All rows have been found.
            if RowCounter(table.name, in: source).count() == self.rows[table.name] { incomplete.remove(table.name) }
        }
    }

    // MARK: Missing rows

    /// Counts the unreadable rows, using indexes and tables with derived data.
    private mutating func countMissing(_ configuration: SQLiteDatabase.Configuration, in source: Connection) {
        for table in incomplete {
            let counter = RowCounter(table, in: source)
            if let count = counter.count() { note(count - (rows[table] ?? 0), of: table) }
            for partition in configuration.partitions where partition.table == table {
                guard let before = counter.counts(by: partition.column),
                    let after = try? RowCounter.counts(of: table, by: partition.column, on: target)
                else { continue }
                note(Dictionary(uniqueKeysWithValues: before.map { ($0.key, $0.value - (after[$0.key] ?? 0)) }), of: table)
            }
        }
        guard let losses = configuration.losses, !incomplete.isEmpty else { return }
        let transaction = SQLiteReadTransaction(target, nil, nil)
        try? target.run("BEGIN")
        defer {
            transaction.close()
            target.rollBack()
        }
        for (table, counts) in (try? losses(transaction)) ?? [:] where incomplete.contains(table) { note(counts, of: table) }
    }

    private mutating func note(_ count: Int, of table: String) {
        if count > 0 { missing[table] = max(missing[table] ?? 0, count) }
    }

    private mutating func note(_ counts: [String: Int], of table: String) {
        let counts = counts.filter { $0.value > 0 }
        if counts.isEmpty { return }
        missingPartitions[table, default: [:]].merge(counts, uniquingKeysWith: max)
        note(missingPartitions[table, default: [:]].values.reduce(0, +), of: table)
    }

    /// Keys that were assigned once are not assigned again. A number near the maximum is damaged, and would leave no keys for new rows.
    private func copySequence(from source: Connection) {
        let last: Int64 = 1 << 62
        let numbers = try? source.rows("SELECT name, seq FROM sqlite_sequence") { (name: try $0[0] as String, number: try $0[1] as Int64) }
        // A row that a constraint refused has increased this number too.
        for name in (try? target.rows("SELECT name FROM sqlite_sequence", [], { try $0[0] as String })) ?? [] {
            let largest = try? target.value(Int64.self, "SELECT max(rowid) FROM main.\(target.quoted(name))")
            try? target.run("UPDATE sqlite_sequence SET seq = ? WHERE name = ?", [.integer(largest ?? 0), .text(name)])
        }
        for entry in numbers ?? [] where (0...last).contains(entry.number) {
            let values: [SQLiteValue] = [.integer(entry.number), .text(entry.name)]
            try? target.run("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", values)
            let insertion = "INSERT INTO sqlite_sequence (seq, name) SELECT ?1, ?2"
            try? target.run("\(insertion) WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?2)", values)
        }
    }

    // MARK: The log, and the app's own data

    /// Creates a log of changes that continues the old numbers. For other processes, everything has changed.
    private func beginLog(_ configuration: SQLiteDatabase.Configuration) throws {
        try target.installUseMark()
        guard configuration.tellsOtherProcesses else { return }
        try ChangeLog().install(on: target)
        let newest = try? source?.value(
            Int64.self,
            "SELECT max(number) FROM \(ChangeLog.table) WHERE number BETWEEN 0 AND \(ChangeLog.lastNumber)"
        )
        try target.run(
            "INSERT INTO \(ChangeLog.table) (number, regions) VALUES (?, ?)",
            [.integer((newest ?? 0) + 1), .text(RegionText.encode([.everything]))]
        )
    }

    /// Lets the app restore data that only the app can rebuild. If that fails, the salvaged data is kept anyway.
    private mutating func rebuild(_ configuration: SQLiteDatabase.Configuration) throws {
        guard let rebuild = configuration.rebuild else { return }
        try target.run("BEGIN IMMEDIATE")
        do {
            let transaction = SQLiteWriteTransaction(target)
            defer { transaction.close() }
            try rebuild(transaction)
            if let failure = transaction.failure { throw failure }
            try target.run("COMMIT")
            incomplete.subtract(target.schemaEntries().filter(\.isVirtual).map(\.name) + configuration.derivedTables)
            for table in configuration.derivedTables {
                (missing[table], missingPartitions[table]) = (nil, nil)
            }
        } catch {
            target.rollBack()
            if let error = error as? SQLiteError, error.isShortage { throw error }
        }
    }
}
