import CSQLite
import QueryKit

/// What a connection needs to know of the schema to determine what was read and changed.
struct SchemaFacts {
    /// The names of all tables and views of the file, by their folded names. Writes report a table with the spelling of the schema.
    var spellings: [String: String] = [:]
    /// Views, by their folded names.
    var views: Set<String> = []
    /// For a table, by its folded name: the tables and views that determine its contents, although a write to them isn't reported as a
    /// change of the table. Contains the sources of full-text tables with external content, of vocabularies, of shadow tables, and of
    /// `sqlite_sequence`.
    var sources: [String: Set<String>] = [:]
    /// The folded names of virtual tables, whose rows SQLite doesn't count.
    var virtualTables: Set<String> = []
    /// Whether the schema itself replaces rows, with a conflict clause or in a trigger.
    var mayReplace = false
}

/// Detects when the schema that a connection uses has changed.
///
/// Each fact that is derived from the schema must be forgotten then: the facts of the schema, and the cached statements with what they
/// access. The schema can change in many ways: by this connection or another one, in a temporary table or trigger, and because a
/// transaction or savepoint that has changed it is rolled back. In all of these cases SQLite prepares a statement again, and counts these
/// repetitions.
// A class, because its flags are set at each begin and end of a transaction: access to them then needs no check at run time.
final class SchemaWatch {
    /// A statement that reads nothing. It is stepped only to find out whether SQLite prepares it again.
    private var probe: Statement?
    private var repreparations: Int32 = 0
    /// Whether the schema of the current transaction has been checked.
    private(set) var isCurrent = false
    /// Whether the current transaction changes the schema, so that each statement or rollback may have changed it since the last check.
    private var changesSchema = false

    /// Call when a transaction begins or ends: others may have changed the schema, or changes were rolled back.
    func noteBoundary() { (isCurrent, changesSchema) = (false, false) }

    /// Call before a statement that changes the schema.
    func noteChange() { (isCurrent, changesSchema) = (false, true) }

    /// Returns whether the schema has changed since the last check, or may have.
    func check(_ prepare: () throws(SQLiteError) -> Statement) throws(SQLiteError) -> Bool {
        if isCurrent { return false }
        let isNew = probe == nil
        let statement: Statement
        if let probe { statement = probe } else { statement = try prepare() }
        probe = statement
        defer { statement.reset() }
        while try statement.step() {}
        let count = sqlite3_stmt_status(statement.handle, SQLITE_STMTSTATUS_REPREPARE, 0)
        defer { repreparations = count }
        isCurrent = !changesSchema
        return isNew || count != repreparations
    }

    /// Closes the statement.
    func end() { probe = nil }
}

extension Connection {
    /// Forgets what was derived from the schema if it has changed; returns whether it has. Call it within a transaction.
    @discardableResult
    func followSchema() throws(SQLiteError) -> Bool {
        let hasChanged = try schemaWatch.check { () throws(SQLiteError) in
            try prepare("SELECT 1 FROM main.sqlite_schema WHERE 0", for: .engine)
        }
        if hasChanged { forgetStatements() }
        return hasChanged
    }

    /// Returns whether a cached statement belongs to an older schema and is no longer cached.
    func isOutdated(_ statement: Statement) throws(SQLiteError) -> Bool {
        // The check takes a snapshot, and only a statement that uses a table may do that.
        guard statement.usesTables else { return false }
        return try followSchema()
    }

    /// The facts about the schema of this transaction.
    func facts() throws(SQLiteError) -> SchemaFacts {
        try followSchema()
        if let schema { return schema }
        let facts = try readFacts()
        schema = facts
        return facts
    }

    private func readFacts() throws(SQLiteError) -> SchemaFacts {
        var facts = SchemaFacts()
        var sources: [String: [String]] = [:]
        var numbered: Set<String> = []
        let statement = try prepare(
            """
            SELECT type, name, coalesce(sql, ''), 1 FROM main.sqlite_schema
            UNION ALL SELECT type, name, coalesce(sql, ''), 0 FROM temp.sqlite_schema
            """,
            for: .engine
        )
        let row = SQLiteRow(statement)
        while try statement.step() {
            // A damaged schema may contain other values than texts.
            let (type, name, sql) = ((try? row[0]) ?? "" as String, (try? row[1]) ?? "" as String, (try? row[2]) ?? "" as String)
            let text = sql.uppercased()
            // A temporary trigger can replace rows of the file, too.
            if text.contains("REPLACE") { facts.mayReplace = true }
            guard (try? row[3]) ?? true, ["table", "view"].contains(type) else { continue }
            facts.spellings[name.foldedName] = name
            if type == "view" { facts.views.insert(name.foldedName) }
            if text.contains("AUTOINCREMENT") { numbered.insert(name) }
            if text.hasPrefix("CREATE VIRTUAL") {
                facts.virtualTables.insert(name.foldedName)
                sources[name.foldedName] = VirtualTable(sql)?.sources ?? []
                for end in VirtualTable.shadows { sources["\(name)\(end)".foldedName] = [name] }
            }
        }
        facts.sources = sources.mapValues { names in Set(names.map { facts.spellings[$0.foldedName] ?? $0 }) }
        facts.sources["sqlite_sequence"] = numbered
        return facts
    }

    /// The tables whose rows these tables show. SQLite doesn't report them when it prepares a statement.
    func sources(of tables: Set<String>) throws -> Set<String> {
        let facts = try facts()
        var found: Set<String> = []
        var pending = Array(tables)
        while let table = pending.popLast() {
            let name = table.foldedName
            var sources = facts.sources[name] ?? []
            if facts.virtualTables.contains(name), let spelling = facts.spellings[name], spelling != table { sources.insert(spelling) }
            for source in sources where found.insert(source).inserted {
                pending.append(source)
                guard facts.views.contains(source.foldedName) else { continue }
                let read = try self.tables(ofView: source)
                pending += read.subtracting(found)
                found.formUnion(read)
            }
        }
        return found
    }
}
