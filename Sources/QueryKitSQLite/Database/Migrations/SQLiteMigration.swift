import QueryKitSQL

/// One step in the history of a schema: a name, and the statements that perform it.
///
/// ```swift
/// let migrations: SQLiteMigrations = [
///     SQLiteMigration(
///         "food",
///         "CREATE TABLE food (id INTEGER PRIMARY KEY, name TEXT) STRICT"
///     ),
///     SQLiteMigration("grams", "ALTER TABLE food ADD COLUMN grams REAL"),
/// ]
/// ```
///
/// Don't change a migration once it has been shipped: databases store a checksum of its text, and refuse another text under the same name.
public struct SQLiteMigration: Sendable {
    /// The name, which must be unique among the migrations of a database.
    public let name: String

    package let script: String
    /// Represents the closure in the checksum, because its code can't be compared.
    package let revision: Int?
    let step: (@Sendable (SQLiteWriteTransaction) throws -> Void)?

    /// Creates a migration from statements, separated by semicolons.
    public init(_ name: StaticString, _ script: StaticString) {
        self.name = name.description
        self.script = script.description
        revision = nil
        step = nil
    }

    /// Creates a migration from statements followed by Swift code, for changes that SQL can't express.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - script: Statements that run first. Default: none.
    ///   - revision: A number that represents the closure's code. A database that has applied the migration refuses another number, like a
    ///     changed text.
    ///   - step: The closure, which runs in the same transaction.
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
}

extension SQLiteMigration: MigrationStep {}

/// The migrations of a database, in order.
public struct SQLiteMigrations: Sendable, ExpressibleByArrayLiteral {
    let steps: [SQLiteMigration]

    /// The names of the migrations.
    package var names: [String] { steps.map(\.name) }

    /// Creates a list of migrations.
    public init(_ steps: [SQLiteMigration]) { self.steps = steps }

    public init(arrayLiteral steps: SQLiteMigration...) { self.steps = steps }
}
