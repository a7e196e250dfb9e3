import Foundation
import QueryKit

extension DatabaseCore {
    static func open(
        _ location: SQLiteDatabase.Location,
        _ migrations: SQLiteMigrations,
        _ configuration: SQLiteDatabase.Configuration
    ) async throws -> DatabaseCore {
        try SQLiteLibrary.linked.check()
        let opener = ConnectionOpener(location: ResolvedLocation(location), configuration: configuration, isReader: false)
        let core = DatabaseCore(opener, migrations)
        let hasLog = opener.path.map { !Disk.isWithoutLog($0) } ?? false
        do {
            try await core.exclusively { try core.openFile(on: $0) }
            try await core.performUpkeep()
        } catch {
            await core.close(keepsLog: hasLog)
            throw error
        }
        return core
    }

    static func openReader(
        _ url: URL,
        _ migrations: SQLiteMigrations,
        _ configuration: SQLiteDatabase.Configuration
    ) async throws -> DatabaseCore {
        try SQLiteLibrary.linked.check()
        let opener = ConnectionOpener(location: ResolvedLocation(.file(url)), configuration: configuration, isReader: true)
        let core = DatabaseCore(opener, migrations)
        do {
            try await core.exclusively { try core.openFileForReading(on: $0) }
        } catch {
            await core.close()
            throw opener.withAdvice(error)
        }
        return core
    }

    private func openFileForReading(on lane: Lane) throws {
        let isWithoutLog = opener.path.map(Disk.isWithoutLog) ?? false
        let connection = try lane.connected()
        try connection.check(.schema)
        try connection.checkMigrations(migrations)
        // A reader can't remove the mark, so it can't record that the copy was reported.
        let copies = isWithoutLog && connection.hasUseMark ? [connection.copyReport()] : []
        report = SQLiteReport(.healthy, migrated: [], unacknowledged: RecoveryLog.all(on: connection) + copies)
    }

    /// Opens the file that has the path of the database now. Concurrent calls share one reopening. Waiting jobs start afterwards, so none
    /// uses a file that is refused.
    func reopen() async throws {
        if opener.path == nil { return }
        let failure = await reopenings.join { [self] in
            do {
                try await exclusively { [self] in try reopen(on: $0) }
                return nil
            } catch {
                return opener.withAdvice(error) as? SQLiteError ?? SQLiteError(.cannotOpen, "The file can't be opened: \(error)")
            }
        }
        if let failure { throw failure }
    }

    private func reopen(on lane: Lane) throws {
        restoreLogOfDeletedFile()
        // The log of the same file must still contain what is known about it.
        if !opener.isFileInPlace { opener.knownLog.clear() }
        opener.forgetFile()
        do {
            try opener.isReader ? openFileForReading(on: lane) : openFile(on: lane)
            if opener.path != nil { try log.begin(on: lane.connected(), isNewFile: true) }
        } catch {
            lane.disconnect(keepsLog: true)
            // The error has said what is lost. After a restored backup, the next call accepts the file as it is.
            opener.knownLog.clear()
            opener.refuseFile()
            throw error
        }
        announce(SQLiteChangeSet(.otherProcess, [.everything]))
    }

    /// If there is no file, gives the log its name back, so that it is set aside and reported like a damaged file.
    private func restoreLogOfDeletedFile() {
        guard let path = opener.path, let aside = opener.knownLog.aside, !Disk.exists(path), Disk.isWithoutLog(path) else { return }
        try? Disk.move(aside, to: path + "-wal")
    }

    /// Prepares the file, or recovers it. If another process has recovered the file in the meantime, starts again with the new file.
    private func openFile(on lane: Lane) throws {
        var isWithoutLog = false
        if let path = opener.path {
            Leftovers.removeOrphans(in: Disk.folder(of: path), suffix: ".backup")
            try ForeignFile.check(path, opener.configuration)
            isWithoutLog = Disk.isWithoutLog(path)
        }
        var attempts = 8
        while true {
            let inode = opener.path.flatMap(Disk.inode)
            do {
                report = try prepare(on: lane, isWithoutLog: isWithoutLog)
                return
            } catch let error as SQLiteError where isRecoverable(error) && attempts > 0 {
                attempts -= 1
                lane.disconnect(keepsLog: true)
                guard let recovered = try recover(from: error, in: inode, on: lane, isInUse: false) else { continue }
                report = recovered
                return
            } catch {
                throw opener.withAdvice(error)
            }
        }
    }

    private func isRecoverable(_ error: SQLiteError) -> Bool {
        configuration.damage.recovers && error.isDamage || configuration.damage == .recoverAnyFile && error.code == .migration
    }

    /// Rebuilds derived data whose rules have changed.
    private func performUpkeep() async throws {
        guard let upkeep = configuration.upkeep else { return }
        do {
            // Check first without a lock: if nothing is due, there is no need to wait for other processes.
            let isDue = Lock(false)
            try await lanes.perform(.write) { [feed] connection, job in
                var reads: ObservedReads?
                _ = try connection.read(job, &reads, feed, on: .longLane) { db in
                    let answer = try upkeep.isDue(db)
                    isDue.withLock { $0 = answer }
                }
            }
            guard isDue.withLock(\.self) else { return }
            // Checked again within the transaction, because another process may have rebuilt the data.
            try await write(at: ReadSite(#fileID, #line), nil) { db in if try upkeep.isDue(db) { try upkeep.carryOut(db) } }
        } catch is SQLiteError {}
    }

    /// Checks the file and applies missing migrations; returns the report.
    ///
    /// - Parameter isWithoutLog: Whether there was no log before the file was opened.
    func prepare(on lane: Lane, isWithoutLog: Bool = false) throws -> SQLiteReport {
        let quarantine = try finishRecovery()
        let connection = try lane.connected()
        if let path = opener.path { try connection.settleUseMark(at: path, isWithoutLog: isWithoutLog, opener.log(log)) }
        let migrated = try connection.prepare(opener, migrations, log)
        if let quarantine { try RecoveryLog.setQuarantine(quarantine, on: connection) }
        let recoveries = RecoveryLog.all(on: connection)
        guard let quarantine else { return SQLiteReport(.healthy, migrated: migrated, unacknowledged: recoveries) }
        let recovery = try recoveries.last ?? connection.recovery(quarantine)
        return SQLiteReport(.recovered(recovery), migrated: migrated, unacknowledged: recoveries)
    }

    /// Finishes a recovery that was interrupted in its last steps. Returns the location of the damaged file.
    private func finishRecovery() throws -> URL? {
        guard let path = opener.path else { return nil }
        let url = try Recovery(path, inode: Disk.inode(path), because: "", migrations, configuration).finish()
        if url != nil { opener.forgetFile() }
        return url
    }
}

extension Connection {
    /// Prepares a file for use: checks it, migrates it, and adds a log of changes if other processes are notified.
    func prepare(_ opener: ConnectionOpener, _ migrations: SQLiteMigrations, _ log: ChangeLog) throws -> [String] {
        try readingSchema {
            try check(opener.configuration.check)
            if !migrations.steps.isEmpty {
                try checkInternalTable("querykit_migrations", columns: ["position", "name", "checksum", "date"])
            }
            // Without migrations, a recovery copies the list unchanged.
            try checkMigrationList(migrations)
            try checkInternalTable(SchemaRecord.table, columns: SchemaRecord.columns)
            // A migration records the schema again, so this is the last moment to notice what is missing.
            try checkShape(migrations)
        }
        let migrated = try migrateUnlessDamaged(migrations, erases: opener.configuration.erasesOnSchemaChange)
        if opener.configuration.tellsOtherProcesses, opener.path != nil { try log.install(on: self) }
        if opener.isMarked { try installUseMark() }
        // The tables above belong to the schema too. For other processes, a migration has changed everything anyway.
        if !migrations.steps.isEmpty, try !hasSchemaRecord() { try beginSchemaRecord(migrated.isEmpty ? opener.log(log) : nil) }
        forgetStatements()
        try installPartitions(partitions)
        return migrated
    }

    /// An unexpected list of migrations may be caused by damage, so the file is checked before it is refused.
    private func migrateUnlessDamaged(_ migrations: SQLiteMigrations, erases: Bool) throws -> [String] {
        do {
            return try migrate(migrations)
        } catch let error as SQLiteError where error.code == .newerSchema || error.code == .migration {
            try check(.full)
            guard erases else { throw error }
            try erase()
            return try migrate(migrations)
        }
    }

    /// Throws ``SQLiteError/Code/corrupt`` if this check finds that the file is damaged.
    func check(_ level: SQLiteDatabase.Check) throws {
        try checkSchema()
        let pragma: String
        switch level {
        case .schema: return
        case .quick: pragma = "PRAGMA quick_check(1)"
        case .full: pragma = "PRAGMA integrity_check(1)"
        }
        if let found = try value(String.self, pragma), found != "ok" { throw SQLiteError(.corrupt, "The file is damaged: \(found).") }
        if level == .full, let found = try invalidTexts().first { throw SQLiteError(.corrupt, "The file is damaged: \(found).") }
    }
}

extension Connection {
    /// Throws if the schema can't be read, or if it is empty although the file has pages in use.
    private func checkSchema() throws {
        guard try entryCount() == 0 else { return }
        // Check again within one snapshot: another process may be creating the tables right now.
        try run("BEGIN")
        defer { rollBack() }
        guard try entryCount() == 0 else { return }
        let pages = try value(Int.self, "PRAGMA page_count") ?? 0
        let free = try value(Int.self, "PRAGMA freelist_count") ?? 0
        let isPlain = try value(Int.self, "PRAGMA auto_vacuum") == 0
        guard isPlain, pages > free + 1 else { return }
        throw SQLiteError(.corrupt, "The file is damaged: it has \(pages) pages, but no tables.")
    }

    /// Throws if an internal table has other columns than this library creates: then the schema is damaged in a way that SQLite can't
    /// detect.
    func checkInternalTable(_ table: String, columns: [String]) throws {
        var found: [String] = []
        try readingSchema { found = try rows("SELECT name FROM pragma_table_info(?)", [.text(table)]) { try $0[0] } }
        guard found.isEmpty || Set(columns).isSubset(of: found) else {
            throw SQLiteError(.corrupt, "The file is damaged: the columns of \(table) are \(found.joined(separator: ", ")).")
        }
    }

    /// Throws if the list of migrations is missing or empty in a file that the migrations have created: applying them again would fail.
    fileprivate func checkMigrationList(_ migrations: SQLiteMigrations) throws {
        let exists = try value(Int.self, "SELECT count(*) FROM sqlite_schema WHERE name = 'querykit_migrations'") == 1
        if try exists && value(Int.self, "SELECT count(*) FROM querykit_migrations NOT INDEXED") != 0 { return }
        if try !SchemaRecord.namesMigrations(on: self) {
            guard try ChangeLog.exists(on: self), let expected = SchemaShape.expected(of: migrations) else { return }
            guard try expected.sharesTables(with: SchemaShape(of: self)) else { return }
        }
        throw SQLiteError(.corrupt, "The file is damaged: the list of migrations is missing.")
    }

    var appTables: [String] {
        schemaEntries().filter { $0.type == "table" && !$0.isVirtual && !Access.isInternal($0.name) }.map(\.name)
    }

    /// The report for a file that was copied without its log.
    fileprivate func copyReport() -> SQLiteReport.Recovery {
        SQLiteReport.Recovery(
            """
            The file is a copy of a database in use, without the log next to it (the file whose name ends in -wal). The latest commits may be missing. Copy \
            the log too, or use backup(to:).
            """,
            incomplete: appTables.sorted()
        )
    }

    /// Removes a visible mark. If the mark is visible because the file was copied without its log, records that.
    ///
    /// - Parameter isWithoutLog: Whether there was no log before the file was opened.
    fileprivate func settleUseMark(at path: String, isWithoutLog: Bool, _ changes: ChangeLog?) throws {
        guard hasUseMark else { return }
        try removeUseMark(changes) {
            // Another process may have begun to write in the meantime.
            if isWithoutLog, Disk.isWithoutLog(path) { try RecoveryLog.begin(copyReport(), on: self, after: []) }
        }
    }

    private func entryCount() throws -> Int { try value(Int.self, "SELECT count(*) FROM sqlite_schema") ?? 0 }

    /// The report for a file that was recovered earlier without a stored report. It is unknown what is missing, so every table counts as
    /// incomplete.
    fileprivate func recovery(_ quarantine: URL) throws -> SQLiteReport.Recovery {
        let tables = appTables
        let rows = try tables.map { ($0, try value(Int.self, "SELECT count(*) FROM main.\(quoted($0))") ?? 0) }
        return SQLiteReport.Recovery(
            "The file was damaged.",
            quarantine: quarantine,
            rows: Dictionary(uniqueKeysWithValues: rows),
            incomplete: tables.sorted()
        )
    }
}

extension SQLiteError {
    /// Whether the error shows that the file is damaged.
    var isDamage: Bool { code == .corrupt || code == .notADatabase }

    /// Whether the file may be damaged, so that it should be checked: an overflow in a sum of stored numbers, a virtual table that can't be
    /// opened, a missing table or column, a log that is too short, or the error "disk full", with which SQLite also reports that there are
    /// no more row ids.
    var hintsAtDamage: Bool {
        isDamage || message == "integer overflow" || isOfVirtualTable || isOfSchema || code == .full || isOfShortLog
    }

    /// SQLITE_IOERR_SHORT_READ: a page is beyond the end of the log. Beyond the end of the file itself, SQLite reads zeros.
    var isOfShortLog: Bool { extendedCode == 522 }

    /// SQLITE_CORRUPT_VTAB: the contents of a virtual table are inconsistent, or it can't be opened.
    var isOfVirtualTable: Bool {
        extendedCode == 267 || message.contains("vtable constructor failed") || message.contains("fts5 file format")
    }

    /// Whether a part of the schema is missing.
    var isOfSchema: Bool {
        code == .error && ["no such table", "no such column", "no such index"].contains { message.hasPrefix($0) }
            || code == .error && message.contains("has no column named")
    }
}
