import Foundation
package import QueryKitSQLite

/// Habits in a database. The database itself notes what a query reads and a commit writes.
package struct SQLiteHabits: HabitRepository {
    package static let migrations: SQLiteMigrations = [
        SQLiteMigration(
            "habits",
            """
            CREATE TABLE habits (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
            CREATE TABLE marks (
                habit INTEGER NOT NULL REFERENCES habits ON DELETE CASCADE, day INTEGER NOT NULL, PRIMARY KEY (habit, day)
            ) STRICT, WITHOUT ROWID;
            """
        )
    ]

    /// The configuration of the app and of its widget. With the partitions, a process also learns which habits another one has marked.
    ///
    /// - Parameter isFollowed: Whether requests follow the database. Without it, the app invalidates them itself.
    package static func configuration(isFollowed: Bool = true) -> SQLiteDatabase.Configuration {
        var configuration = SQLiteDatabase.Configuration()
        configuration.partitions = [SQLitePartition(table: "marks", column: "habit")]
        configuration.isFollowed = isFollowed
        return configuration
    }

    private let counted: CountedDatabase

    package init(_ counted: CountedDatabase) { self.counted = counted }

    package func habits() async throws -> [Habit] { try await counted.rows(Habit.self, "SELECT id, name FROM habits ORDER BY id") }

    package func history(of habit: Habit.ID, in week: Week) async throws -> History {
        let (first, last) = (week.days.lowerBound, week.days.upperBound)
        return History(
            try await counted.rows(
                Day.self,
                "SELECT day FROM marks WHERE habit = \(partition: habit, of: "marks") AND day BETWEEN \(first.number) AND \(last.number)"
            )
        )
    }

    package func save(_ mark: Mark) async throws {
        do {
            try await counted.database.write { db in
                if mark.isDone {
                    try db.execute("INSERT INTO marks (habit, day) VALUES (\(mark.habit.id), \(mark.day.number)) ON CONFLICT DO NOTHING")
                } else {
                    try db.execute("DELETE FROM marks WHERE habit = \(mark.habit.id) AND day = \(mark.day.number)")
                }
            }
        } catch let error as SQLiteError where error.constraint == .foreignKey {
            throw HabitError.gone(mark.habit.name)
        }
    }

    package func add(_ name: String) async throws {
        let name = name.trimmingCharacters(in: .whitespacesAndNewlines)
        if name.isEmpty { throw HabitError.noName }
        do {
            try await counted.database.write { db in try db.execute("INSERT INTO habits (name) VALUES (\(name))") }
        } catch let error as SQLiteError where error.constraint == .unique {
            throw HabitError.nameTaken(name)
        }
    }
}

extension Habit: SQLiteRowDecodable {
    package init(row: borrowing SQLiteRow) throws { self.init(id: try row[0], name: try row[1]) }
}

extension Day: SQLiteRowDecodable {
    package init(row: borrowing SQLiteRow) throws { self.init(number: try row[0]) }
}
