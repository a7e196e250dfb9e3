import QueryKit

extension DatabaseCore {
    /// Gives the database a new file with what can be saved of the damaged one; in memory, if no file can be made.
    ///
    /// - Parameter seen: In which file the damage was seen.
    /// - Returns: False if somebody else has recovered it: there is another file now, which nobody here has looked at.
    func recover(from error: SQLiteError, in seen: UInt64?) async throws -> Bool {
        guard let path = opener.path else { throw error }
        await sideWork.hold(.recovery)
        await lanes.rest(.recovery)
        do {
            let recovery = Recovery(path, seen: seen, migrations, configuration)
            let report = try await lanes.atRest { [self] lane in try recover(recovery, on: lane) }
            if let report { self.report = report }
            // Before anything else is committed.
            announce(SQLiteChangeSet(report == nil ? .otherProcess : .local, [.everything]))
            resume(.recovery)
            return report != nil
        } catch {
            resume(.recovery)
            throw error
        }
    }

    /// - Returns: `nil` if somebody else has recovered the file.
    private func recover(_ recovery: Recovery, on lane: Lane) throws -> SQLiteReport? {
        switch try recovery.run() {
        case .replaced(let report):
            try log.begin(on: try lane.connected())
            return report
        case .overtaken:
            return nil
        case .impossible(let reason, let remains):
            defer { remains?.copy.remove() }
            // Nobody else recovers the file meanwhile.
            return try withExtendedLifetime(remains) { try goOnInMemory(because: reason, remains?.copy, on: lane) }
        }
    }

    private func goOnInMemory(because reason: String, _ copy: ScratchCopy?, on lane: Lane) throws -> SQLiteReport {
        // Filled before anything is given up: it may fail, and then the database is still the file.
        let filled = try Connection(path: nil, settings: ConnectionSettings(mode: .readWrite))
        let salvage = try Salvage(from: copy?.path, to: filled, migrations, configuration)
        opener.moveToMemory()
        lanes.useWriterOnly()
        let connection = try lane.connected()
        try filled.copyAll(to: connection)
        connection.adoptSchema()
        let rest = salvage.isReadable ? "" : " Nothing of it could be read."
        return SQLiteReport(.inMemory(because: reason + rest), migrated: salvage.migrated)
    }

    // MARK: While the database is in use

    /// Recovers once for all who ask at the same time. True when reading works again.
    func repair(after error: SQLiteError) async -> Bool {
        guard error.isDamage, configuration.damage == .recover, opener.path != nil else { return false }
        return await repairs.join { [self] in await repairOnce(after: error) }
    }

    private func repairOnce(after error: SQLiteError) async -> Bool {
        let seen = opener.path.flatMap(Disk.inode)
        // The error may be of a file that somebody has replaced meanwhile, or of a full-text index whose table is sound.
        switch await isSound(asideFromVirtual: error.isOfVirtualTable) {
        case nil: return false
        case true?: return error.isOfVirtualTable ? await rebuild() : true
        case false?: break
        }
        do {
            if try await recover(from: error, in: seen) { return true }
            _ = try await lanes.value(.write) { [opener, migrations, log] connection in
                try connection.prepare(opener, migrations, log)
            }
            return true
        } catch {
            return false
        }
    }

    /// Looks the whole file through; `nil` if that can not be done now.
    ///
    /// - Parameter asideFromVirtual: Whether only tables with rows of their own count. Newer versions of SQLite also look into indexes for full-text
    ///   search when they check a whole file, and those are rebuilt in their place.
    private func isSound(asideFromVirtual: Bool) async -> Bool? {
        do {
            try await sideWork.perform { [opener] _ in
                let connection = try opener.openAside()
                if asideFromVirtual { try connection.lookAtTables() } else { try connection.look(.full) }
            }
            return true
        } catch let error as SQLiteError where error.isDamage {
            return false
        } catch {
            return nil
        }
    }

    private func rebuild() async -> Bool {
        guard let rebuild = configuration.rebuild else { return false }
        return (try? await write { try rebuild($0) }) != nil
    }
}

extension SQLiteError {
    /// SQLITE_CORRUPT_VTAB: what a virtual table keeps does not agree with itself.
    fileprivate var isOfVirtualTable: Bool { extendedCode == 267 }
}

extension SQLiteDatabase {
    /// Recovers from damage that a read or a write has come upon, as it is done when a damaged file is opened: what can be read is saved, the damaged file
    /// is set aside, and ``report`` tells. Whoever follows ``changes`` hears that everything has changed.
    ///
    /// Clients that are connected to the database ask for it by themselves. Reads and writes wait meanwhile. Calls at the same time share one repair.
    ///
    /// - Parameter error: What a read or a write has thrown.
    /// - Returns: Whether reading works again: also where the file turns out to be sound. False if the error tells of no damage, if the configuration
    ///   says that damage stays, or if the file can not be recovered now, for instance because another process has it open.
    public func repair(after error: any Error) async -> Bool {
        guard let error = error as? SQLiteError else { return false }
        return await core.repair(after: error)
    }
}
