import QueryKit

extension DatabaseCore {
    /// Gives the database a new file with what can be saved of the damaged one; in memory, if no file can be made.
    func recover(from error: SQLiteError) async throws {
        guard let path = opener.path else { throw error }
        await sideWork.hold(.recovery)
        await lanes.rest(.recovery)
        do {
            let recovery = Recovery(path, migrations, configuration)
            if let report = try await lanes.atRest({ [self] lane in try recover(recovery, on: lane) }) {
                self.report = report
                // Before anything else is committed.
                announce(SQLiteChangeSet(.local, [.everything]))
            }
            resume(.recovery)
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
        case .impossible(let reason, let copy):
            defer { copy?.remove() }
            opener.moveToMemory()
            lanes.useWriterOnly()
            let connection = try lane.connected()
            let salvage = try Salvage(from: copy?.path, to: connection, migrations, configuration)
            connection.adoptSchema()
            return SQLiteReport(.inMemory(because: reason), migrated: salvage.migrated)
        }
    }

    // MARK: While the database is in use

    /// Recovers once for all who ask at the same time. True when reading works again.
    func repair(after error: SQLiteError) async -> Bool {
        guard error.isDamage, configuration.damage == .recover, opener.path != nil else { return false }
        return await repairs.join { [self] in await repairOnce(after: error) }
    }

    private func repairOnce(after error: SQLiteError) async -> Bool {
        // The error may be of a file that somebody has replaced meanwhile, or of a full-text index whose table is sound.
        switch await isSound() {
        case nil: return false
        case true?: return error.isOfVirtualTable ? await rebuild() : true
        case false?: break
        }
        do {
            try await recover(from: error)
            return true
        } catch {
            return false
        }
    }

    /// Looks the whole file through; `nil` if that can not be done now.
    private func isSound() async -> Bool? {
        do {
            try await sideWork.perform { [opener] _ in
                let connection = try opener.openAside()
                try connection.look(.full)
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
