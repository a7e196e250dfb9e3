import FoodDiaryKit
import Foundation
import QueryKit
import QueryKitSQLite
import Terminal
import Testing

@testable import DiaryScreens

/// Messages for users who have never heard of SQLite.
@Suite(.timeLimit(.minutes(5))) struct FaultTextTests {
    @Test(arguments: [
        SQLiteError(.busy, "Another connection has kept the database locked for 5000 ms. Try again, or allow a longer busyTimeout."),
        SQLiteError(.full, "database or disk is full", sql: "COMMIT"),
        SQLiteError(.readOnly, "attempt to write a readonly database", extendedCode: 1544, sql: "BEGIN IMMEDIATE"),
        SQLiteError(.error, "no such table: entries", sql: "SELECT id, name FROM entries"),
        SQLiteError(.inputOutput, "disk I/O error", sql: "COMMIT"), SQLiteError(.corrupt, "database disk image is malformed"),
    ])
    func `no statement, number or setting of the library is named`(error: SQLiteError) {
        for failure in [Failure(error), Failure(QueryError(.timeout, "other words", underlying: error))] {
            #expect(failure.code == 1 && failure.message.contains(". ") || failure.message.hasSuffix("."))
            for word in ["SELECT", "COMMIT", "BEGIN", "SQLite", "busyTimeout", "1544", "["] { #expect(!failure.message.contains(word)) }
        }
    }

    @Test func `a failure of the system is told in its own words, whatever it is wrapped in`() throws {
        let file = URL(fileURLWithPath: "/nowhere/at/all.html")
        #expect { try Data().write(to: file) } throws: { FaultText.reason($0) == "No such file or directory" }
    }

    private static let codes: [(any Error, Int32)] = [
        (UsageError(""), 2), (Obstacle(""), 1), (FoodDiaryError(.invalid, ""), 1), (QueryError(.invalidParameters), 2),
        (CancellationError(), 130), (OutputError(number: ENOSPC), 1),
    ]

    @Test(arguments: codes) func `a code says whether words are wrong, or something else is`(error: any Error, code: Int32) {
        #expect(Failure(error).code == code)
    }
}
