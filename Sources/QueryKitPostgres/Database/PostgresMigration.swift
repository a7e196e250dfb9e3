#if Postgres
import QueryKitSQL

/// One step in the history of a schema: a name, and the statements that perform it.
///
/// ```swift
/// let migrations: PostgresMigrations = [
///     PostgresMigration(
///         "food",
///         "CREATE TABLE food (id bigint PRIMARY KEY, name text)"
///     ),
///     PostgresMigration("grams", "ALTER TABLE food ADD grams float8"),
/// ]
/// ```
///
/// Each migration is a transaction. Don't change a migration once it has been shipped: databases store a checksum of its text, and refuse
/// another text under the same name.
public struct PostgresMigration: Sendable {
    /// The name, which must be unique among the migrations of a database.
    public let name: String

    package let script: String
    /// Represents the closure in the checksum, because its code can't be compared.
    package let revision: Int?
    let step: (@Sendable (PostgresWriteTransaction) async throws -> Void)?

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
        step: @escaping @Sendable (PostgresWriteTransaction) async throws -> Void
    ) {
        self.init(name: name.description, script: script.description, revision: revision, step: step)
    }

    /// Creates a migration of the library, whose text may be assembled at runtime.
    init(
        name: String,
        script: String,
        revision: Int? = nil,
        step: (@Sendable (PostgresWriteTransaction) async throws -> Void)? = nil
    ) {
        self.name = name
        self.script = script
        self.revision = revision
        self.step = step
    }
}

extension PostgresMigration: MigrationStep {}

/// The migrations of a database, in order.
///
/// A database has one list of migrations. If more migrations were applied than an app has in its list, the app is older than the schema and
/// is refused; an app that passes no migrations isn't checked. So apps with different schemas need different databases. During a rolling
/// update, instances of the old version continue to work, but an old instance that restarts is refused.
public struct PostgresMigrations: Sendable, ExpressibleByArrayLiteral {
    let steps: [PostgresMigration]

    /// The names of the migrations.
    package var names: [String] { steps.map(\.name) }

    /// Creates a list of migrations.
    public init(_ steps: [PostgresMigration]) { self.steps = steps }

    public init(arrayLiteral steps: PostgresMigration...) { self.steps = steps }
}
#endif
