/// One step in the life of a schema: a name, and the statements that it takes.
///
/// ```swift
/// let migrations: SQLiteMigrations = [
///     SQLiteMigration("food", "CREATE TABLE food (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT"),
///     SQLiteMigration("grams", "ALTER TABLE food ADD COLUMN grams REAL"),
/// ]
/// ```
///
/// Once it was shipped, a migration stays as it is: databases remember its text, and refuse another under the same name.
public struct SQLiteMigration: Sendable {
    /// What it is called; no other one of the database has the name.
    public let name: String

    let script: String
    /// Stands for the closure, whose text nobody can compare.
    let revision: Int?
    let step: (@Sendable (SQLiteWriteTransaction) throws -> Void)?

    /// A migration of statements, separated by semicolons.
    public init(_ name: StaticString, _ script: StaticString) {
        self.name = name.description
        self.script = script.description
        revision = nil
        step = nil
    }

    /// A migration of statements and then Swift, for what SQL can not say.
    ///
    /// - Parameters:
    ///   - name: What it is called.
    ///   - script: Statements that come first. Default: none.
    ///   - revision: A number in place of the closure's text. One that differs from the shipped one is refused like another text.
    ///   - step: What is done in the same transaction.
    public init(
        _ name: StaticString,
        _ script: StaticString = "",
        revision: Int,
        step: @escaping @Sendable (SQLiteWriteTransaction) throws -> Void
    ) {
        self.name = name.description
        self.script = script.description
        self.revision = revision
        self.step = step
    }

    /// A number that differs where migrations do. It is stored, so it is the same in each process (FNV-1a).
    var checksum: Int64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in "\(name)\0\(script)\0\(revision ?? 0)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Int64(bitPattern: hash)
    }
}

/// The migrations of a database, in their order.
public struct SQLiteMigrations: Sendable, ExpressibleByArrayLiteral {
    let steps: [SQLiteMigration]

    /// What the migrations are called.
    package var names: [String] { steps.map(\.name) }

    /// Creates a list.
    public init(_ steps: [SQLiteMigration]) { self.steps = steps }

    public init(arrayLiteral steps: SQLiteMigration...) { self.steps = steps }
}
