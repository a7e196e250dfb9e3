import CSQLite
import Foundation

/// What a statement accesses, as SQLite reported it during preparation.
///
/// It lists exactly the tables that may be affected (including those of triggers, cascades and views), but says nothing about rows: `UPDATE
/// … WHERE 0` counts as a write.
struct Access: Hashable, Sendable {
    /// The tables that it reads.
    var reads: Set<String> = []
    /// The tables that it may write.
    var writes: Set<String> = []
    /// The columns that it may update.
    var updates: Set<Column> = []
    /// The tables into which it may insert rows, or from which it may delete rows.
    var inserts: Set<String> = []
    /// Whether it changes the schema, which concerns everything.
    var changesSchema = false
    /// Whether its result may change with each write.
    var readsEverything = false

    struct Column: Hashable, Sendable {
        let table: String
        let name: String
    }

    /// Whether a table is internal to this library or to SQLite, so that apps have no access to it.
    static func isInternal(_ table: String) -> Bool {
        table.isEmpty || table.hasPrefix("sqlite_") || engineTables.contains(table)
    }

    private static let engineTables: Set<String> = [
        "querykit_changes", "querykit_migrations", "querykit_recoveries", "querykit_schema", "querykit_use",
    ]

    /// Whether the other access contains everything in this one, except for the shadow tables of full-text search, which prepares its own
    /// statements.
    func isCovered(by other: Access) -> Bool {
        func isNew(_ table: String) -> Bool { !Self.isShadow(table, of: other.reads) && !Self.isShadow(table, of: other.writes) }
        return !reads.subtracting(other.reads).contains(where: isNew) && !writes.subtracting(other.writes).contains(where: isNew)
            && (!changesSchema || other.changesSchema)
    }

    private static func isShadow(_ table: String, of tables: Set<String>) -> Bool {
        ["_data", "_idx", "_content", "_docsize", "_config"].contains { suffix in
            table.hasSuffix(suffix) && tables.contains(String(table.dropLast(suffix.count)))
        }
    }

    mutating func formUnion(_ other: Access) {
        reads.formUnion(other.reads)
        writes.formUnion(other.writes)
        updates.formUnion(other.updates)
        inserts.formUnion(other.inserts)
        changesSchema = changesSchema || other.changesSchema
        readsEverything = readsEverything || other.readsEverything
    }
}

/// Records what statements access while they are prepared, and refuses statements that would bypass this library.
///
/// Each connection has one. SQLite calls it on the thread that uses the connection.
final class AccessRecorder {
    /// The code that prepares a statement: apps are allowed less than this library itself.
    enum Role {
        case engine, reader, writer
    }

    var role = Role.engine
    /// Whether temporary tables count: the only connection to a database in memory reads them, too.
    var countsTemporaryTables = false
    private(set) var access = Access()
    /// The reason for a refusal, because SQLite reports only "not authorized".
    private(set) var refusal: String?

    func begin(_ role: Role) {
        self.role = role
        access = Access()
        refusal = nil
    }

    /// Clears the record before a statement is executed: virtual tables prepare statements of their own.
    func clear() {
        if !access.reads.isEmpty || !access.writes.isEmpty || access.changesSchema { access = Access() }
    }

    /// The name prefix of the triggers that report written values. What these triggers read is not counted as read by the statement.
    static let reporting = "querykit_values_"

    static func isOwn(trigger name: UnsafePointer<CChar>) -> Bool { strncmp(name, reporting, reporting.utf8.count) == 0 }

    /// SQLite's authorizer callback: the action, its arguments, and the name of the database.
    func authorize(_ action: Int32, _ first: UnsafePointer<CChar>?, _ second: UnsafePointer<CChar>?, _ database: UnsafePointer<CChar>?)
        -> Int32
    {
        switch action {
        case SQLITE_READ:
            noteRead(first, database)
        case SQLITE_UPDATE:
            noteWrite(first, column: second, database)
        case SQLITE_INSERT, SQLITE_DELETE:
            noteWrite(first, database)
        // ANALYZE creates its own table, which no result depends on, except for the list of tables.
        case SQLITE_CREATE_TABLE where Self.isStatistics(first):
            access.writes.insert("sqlite_schema")
        // A temporary table or view may hide another one.
        case SQLITE_CREATE_TEMP_TABLE, SQLITE_CREATE_TEMP_VIEW, SQLITE_DROP_TEMP_TABLE, SQLITE_DROP_TEMP_VIEW:
            if countsTemporaryTables { access.changesSchema = true }
        case SQLITE_CREATE_TABLE, SQLITE_CREATE_INDEX, SQLITE_CREATE_TRIGGER, SQLITE_CREATE_VIEW, SQLITE_CREATE_VTABLE, SQLITE_DROP_TABLE,
            SQLITE_DROP_INDEX, SQLITE_DROP_TRIGGER, SQLITE_DROP_VIEW, SQLITE_DROP_VTABLE, SQLITE_ALTER_TABLE:
            access.changesSchema = true
        case SQLITE_TRANSACTION, SQLITE_SAVEPOINT:
            return refuse("Statements can't begin or end transactions. Use read, write and savepoint.")
        case SQLITE_ATTACH, SQLITE_DETACH:
            return refuse("Other files can't be attached. Open each file as a SQLiteDatabase of its own.")
        case SQLITE_PRAGMA:
            guard role != .engine, let first else { break }
            let name = String(cString: first).lowercased()
            guard Self.harmlessPragmas.contains(name) else {
                return refuse("PRAGMA \(name) is reserved for QueryKitSQLite. Use the configuration or the methods of the database.")
            }
            // Full-text search reads the data version while another statement is prepared.
            if name == "data_version" { break }
            if Self.volatilePragmas.contains(name) { access.readsEverything = true } else { access.reads.insert("sqlite_schema") }
            // Setting a pragma counts as a change of the schema, because it is as rare, and any query may read the setting.
            if second != nil, Self.settablePragmas.contains(name) { access.changesSchema = true }
        default:
            break
        }
        return SQLITE_OK
    }

    private func refuse(_ reason: String) -> Int32 {
        guard role != .engine else { return SQLITE_OK }
        refusal = reason
        return SQLITE_DENY
    }

    private func noteRead(_ table: UnsafePointer<CChar>?, _ database: UnsafePointer<CChar>?) {
        // Called for each column, so usually the table is already known.
        guard let name = name(of: table, in: database) else { return }
        if !Access.isInternal(name) {
            access.reads.insert(name)
        } else if role != .engine, name == "sqlite_master" {
            // For both names of the schema table, SQLite reports the old one. Only a change of the schema writes this table, and such a
            // change concerns everything.
            access.reads.insert("sqlite_schema")
        } else if role != .engine, name == Self.sequence {
            access.reads.insert(name)
        }
        if role != .engine, Self.volatileTables.contains(name.foldedName) { access.readsEverything = true }
    }

    private static func isStatistics(_ table: UnsafePointer<CChar>?) -> Bool {
        table.map { String(cString: $0).hasPrefix("sqlite_stat") } ?? false
    }

    private func noteWrite(_ table: UnsafePointer<CChar>?, column: UnsafePointer<CChar>? = nil, _ database: UnsafePointer<CChar>?) {
        guard let name = name(of: table, in: database) else { return }
        if Access.isInternal(name), role == .engine || name != Self.sequence { return }
        access.writes.insert(name)
        if let column {
            access.updates.insert(Access.Column(table: name, name: String(cString: column)))
        } else {
            access.inserts.insert(name)
        }
    }

    /// The name under which a table counts; `nil` for a temporary table that is private to its connection.
    private func name(of table: UnsafePointer<CChar>?, in database: UnsafePointer<CChar>?) -> String? {
        guard let name = table.map({ String(cString: $0) }) else { return nil }
        // "main" or `nil`.
        guard let database, database[0] != UInt8(ascii: "m") else { return name }
        return countsTemporaryTables && !Access.isInternal(name) ? "temp." + name : nil
    }

    /// SQLite's table with the largest row ids of tables with `AUTOINCREMENT`. Apps may read and write it.
    private static let sequence = "sqlite_sequence"
    /// Pragmas whose result may change with each write, and the table-valued functions with such results.
    private static let volatilePragmas: Set<String> = [
        "foreign_key_check", "freelist_count", "integrity_check", "page_count", "quick_check",
    ]
    private static let volatileTables = Set(volatilePragmas.map { "pragma_\($0)" } + ["dbstat", "sqlite_dbpage"])
    private static let settablePragmas: Set<String> = ["application_id", "user_version"]
    /// Pragmas that apps may use: they only return information.
    private static let harmlessPragmas: Set<String> = [
        "application_id", "collation_list", "compile_options", "data_version", "database_list", "encoding", "foreign_key_check",
        "foreign_key_list",
        "freelist_count", "function_list", "index_info", "index_list", "index_xinfo", "integrity_check", "page_count", "page_size",
        "quick_check",
        "schema_version", "table_info", "table_list", "table_xinfo", "user_version",
    ]
}
