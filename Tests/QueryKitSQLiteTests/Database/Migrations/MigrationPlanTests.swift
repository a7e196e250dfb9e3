import Testing

@testable import QueryKitSQLite

/// Which migrations a database still needs, or why it can't be used.
@Suite(.timeLimit(.minutes(5)))
struct MigrationPlanTests {
    private static let first = SQLiteMigration("first", "CREATE TABLE a (id)")
    private static let second = SQLiteMigration("second", "CREATE TABLE b (id)")
    private static let third = SQLiteMigration("third", revision: 1) { _ in }

    private static func applied(_ steps: SQLiteMigration...) -> [MigrationPlan.Applied] {
        steps.map { MigrationPlan.Applied(name: $0.name, checksum: $0.checksum) }
    }

    @Test(
        arguments: [
            ([], ["first", "second", "third"]), (applied(first), ["second", "third"]), (applied(first, second, third), []),
        ] as [([MigrationPlan.Applied], [String])]
    )
    func `D8 missing migrations are planned in order`(_ applied: [MigrationPlan.Applied], _ pending: [String]) throws {
        let plan = try MigrationPlan([Self.first, Self.second, Self.third], applied: applied)
        #expect(plan.pending.map(\.name) == pending)
    }

    @Test(
        arguments: [
            // A database with an unknown migration, at the end or in between.
            (applied(first, second, third, SQLiteMigration("fourth", "")), .newerSchema, "fourth"),
            (applied(first, SQLiteMigration("fourth", "")), .newerSchema, "fourth"),
            // The same migrations in another order.
            (applied(second), .migration, "Migration 1"),
            (applied(first, third), .migration, "Migration 2"),
            // Another text, or another migration in its place.
            (applied(first, SQLiteMigration("second", "CREATE TABLE b (id, name)")), .migration, "second"),
            (applied(first, second, SQLiteMigration("third", revision: 2) { _ in }), .migration, "third"),
            (applied(first, second, SQLiteMigration("third", "SELECT 1", revision: 1) { _ in }), .migration, "third"),
        ] as [([MigrationPlan.Applied], SQLiteError.Code, String)]
    )
    func `D8 a database with other migrations is refused`(
        _ applied: [MigrationPlan.Applied],
        _ code: SQLiteError.Code,
        _ named: String
    ) throws {
        #expect {
            try MigrationPlan([Self.first, Self.second, Self.third], applied: applied)
        } throws: { error in
            let error = error as? SQLiteError
            return error?.code == code && error?.message.contains(named) == true
        }
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
