import Foundation
import QueryKit

extension DatabaseCore {
    static func open(
        _ location: SQLiteDatabase.Location,
        _ migrations: SQLiteMigrations,
        _ configuration: SQLiteDatabase.Configuration
    ) async throws -> DatabaseCore {
        try SQLiteLibrary.linked.check()
        let opener = ConnectionOpener(place: DatabasePlace(location), configuration: configuration, isReader: false)
        let core = DatabaseCore(opener, migrations)
        do {
            core.report = SQLiteReport(.healthy, migrated: try await core.prepare())
        } catch let error as SQLiteError where error.isDamage && configuration.damage == .recover && opener.place.path != nil {
            try await core.recover(from: error)
        } catch {
            await core.close()
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
        let opener = ConnectionOpener(place: DatabasePlace(.file(url)), configuration: configuration, isReader: true)
        let core = DatabaseCore(opener, migrations)
        do {
            try await core.lanes.perform(.write) { connection, _ in
                try connection.look(.schema)
                try connection.checkMigrations(migrations)
            }
        } catch {
            await core.close()
            throw error
        }
        return core
    }

    /// Looks the file through and brings it up to date; answers with the migrations that were carried out.
    func prepare() async throws -> [String] {
        try await lanes.value(.write) { [opener, migrations, log] connection in
            try connection.prepare(opener, migrations, log)
        }
    }
}

extension Connection {
    /// Makes a file ready for use: looked through, migrated, with a log of changes if others are to know of them.
    func prepare(_ opener: ConnectionOpener, _ migrations: SQLiteMigrations, _ log: ChangeLog) throws -> [String] {
        try look(opener.configuration.check)
        let migrated = try migrate(migrations)
        if opener.configuration.tellsOtherProcesses, opener.place.path != nil { try log.install(on: self) }
        forgetStatements()
        try installPartitions(partitions)
        return migrated
    }

    /// Throws ``SQLiteError/Code/corrupt`` if the file is damaged, as far as the check goes.
    func look(_ check: SQLiteDatabase.Check) throws {
        _ = try value(Int.self, "SELECT count(*) FROM sqlite_schema")
        let pragma: String
        switch check {
        case .schema: return
        case .quick: pragma = "PRAGMA quick_check(1)"
        case .full: pragma = "PRAGMA integrity_check(1)"
        }
        if let found = try value(String.self, pragma), found != "ok" { throw SQLiteError(.corrupt, "The file is damaged: \(found).") }
    }
}

extension SQLiteError {
    /// Whether the file is at fault.
    var isDamage: Bool { code == .corrupt || code == .notADatabase }
}
