import Testing

@testable import QueryKitSQLite

/// Which migrations a database still needs, or why it can't be used.
struct MigrationPlanTests {
    private static let first = SQLiteMigration("first", "CREATE TABLE a (id)")
    private static let second = SQLiteMigration("second", "CREATE TABLE b (id)")
    private static let third = SQLiteMigration("third", revision: 1) { _ in }

    private static func unknown(_ name: String) -> SQLiteError {
        SQLiteError(
            .newerSchema,
            "The database was written by a newer version of the app: it has the migration \"\(name)\", which is unknown here. Update the app."
        )
    }

    private static func misplaced(_ number: Int, _ found: String, _ wanted: String) -> SQLiteError {
        SQLiteError(
            .migration,
            "Migration \(number) of the database is \"\(found)\", but the app's is \"\(wanted)\". Add new migrations at the end."
        )
    }

    private static func changed(_ name: String) -> SQLiteError {
        SQLiteError(
            .migration,
            "The migration \"\(name)\" has changed since it was applied to the database. Restore its old text, and add a new migration."
        )
    }

    private static func applied(_ steps: SQLiteMigration...) -> [AppliedMigration] {
        steps.map { AppliedMigration(name: $0.name, checksum: $0.checksum) }
    }

    @Test(
        arguments: [
            ([], ["first", "second", "third"]), (applied(first), ["second", "third"]), (applied(first, second, third), []),
        ] as [([AppliedMigration], [String])]
    )
    func `D8 missing migrations are planned in order`(_ applied: [AppliedMigration], _ pending: [String]) throws {
        let plan = try MigrationPlan([Self.first, Self.second, Self.third], applied: applied)
        #expect(plan.pending.map(\.name) == pending)
    }

    @Test(
        arguments: [
            // A database with an unknown migration, at the end or in between.
            (applied(first, second, third, SQLiteMigration("fourth", "")), unknown("fourth")),
            (applied(first, SQLiteMigration("fourth", "")), unknown("fourth")),
            // The same migrations in another order.
            (applied(second), misplaced(1, "second", "first")), (applied(first, third), misplaced(2, "third", "second")),
            // Another text, or another migration in its place.
            (applied(first, SQLiteMigration("second", "CREATE TABLE b (id, name)")), changed("second")),
            (applied(first, second, SQLiteMigration("third", revision: 2) { _ in }), changed("third")),
            (applied(first, second, SQLiteMigration("third", "SELECT 1", revision: 1) { _ in }), changed("third")),
        ] as [([AppliedMigration], SQLiteError)]
    )
    func `D8 a database with other migrations is refused, with what differs and what to do`(
        _ applied: [AppliedMigration],
        _ refusal: SQLiteError
    ) throws {
        #expect(throws: refusal) { try MigrationPlan([Self.first, Self.second, Self.third], applied: applied) }
    }

    @Test func `D8 two migrations with the same name are refused before anything is done`() throws {
        #expect {
            try MigrationPlan([Self.first, Self.second] + [SQLiteMigration("first", "other")], applied: [])
        } throws: {
            ($0 as? SQLiteError)?.code == .migration
        }
    }

    @Test func `a checksum is the same in every process`() {
        #expect(Self.first.checksum == -1_478_815_481_935_493_300)
    }
}
