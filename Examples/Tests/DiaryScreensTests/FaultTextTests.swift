import FoodDiaryKit
import Foundation
import QueryKit
import QueryKitSQLite
import Terminal
import Testing

@testable import DiaryScreens

/// Messages for users who don't know SQLite.
@Suite(.timeLimit(.minutes(5))) struct FaultTextTests {
    @Test(arguments: [
        SQLiteError(.busy, "Another connection has kept the database locked for 5000 ms. Try again, or allow a longer busyTimeout."),
        SQLiteError(.full, "database or disk is full", sql: "COMMIT"),
        SQLiteError(.readOnly, "attempt to write a readonly database", extendedCode: 1544, sql: "BEGIN IMMEDIATE"),
        SQLiteError(.error, "no such table: entries", sql: "SELECT id, name FROM entries"),
        SQLiteError(.inputOutput, "disk I/O error", sql: "COMMIT"), SQLiteError(.corrupt, "database disk image is malformed"),
    ])
    func `a message contains no SQL, no error code and no setting of the library`(error: SQLiteError) {
        for failure in [Failure(error), Failure(QueryError(.timeout, "other words", underlying: error))] {
            #expect(failure.code == 1 && failure.message.contains(". ") || failure.message.hasSuffix("."))
            for word in ["SELECT", "COMMIT", "BEGIN", "SQLite", "busyTimeout", "1544", "["] { #expect(!failure.message.contains(word)) }
        }
    }

    @Test func `the message about a file that is not a diary gives no advice to repair it`() {
        let error = SQLiteError(.notADatabase, "q.png is not an SQLite database, and was left unchanged. Choose another file.")
        #expect(Failure(error).message == error.message)
        #expect(Failure(SQLiteError(.corrupt, "malformed")).message.hasSuffix("try again: food-diary doctor --repair"))
    }

    @Test func `a wrapped error of the system is reported with the system's message`() throws {
        let file = URL(fileURLWithPath: "/nowhere/at/all.html")
        #expect { try Data().write(to: file) } throws: { FaultText.reason($0) == "No such file or directory" }
    }

    private static let codes: [(any Error, Int32)] = [
        (UsageError(""), 2), (CommandError(""), 1), (FoodDiaryError(.invalid, ""), 1), (QueryError(.invalidParameters), 2),
        (CancellationError(), 130), (OutputError(number: ENOSPC), 1),
    ]

    @Test(arguments: codes) func `the exit code is 2 for wrong input, 130 if cancelled and otherwise 1`(error: any Error, code: Int32) {
        #expect(Failure(error).code == code)
    }
}
