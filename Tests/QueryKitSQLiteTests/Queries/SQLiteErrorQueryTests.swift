import QueryKit
import SQLiteTestSupport
import TestSupport
import Testing

@testable import QueryKitSQLite

struct SQLiteErrorQueryTests {
    private static let meanings: [(SQLiteError.Code, QueryError.Code?)] = [
        (.corrupt, .databaseCorruption), (.notADatabase, .databaseCorruption),
        (.permission, .insufficientPermissions), (.readOnly, .insufficientPermissions), (.cannotOpen, .insufficientPermissions),
        (.busy, .timeout), (.locked, .timeout),
        (.constraint, .invalidParameters), (.mismatch, .invalidParameters), (.misuse, .invalidParameters), (.range, .invalidParameters),
        (.tooBig, .invalidParameters), (.notAuthorized, .invalidParameters), (.invalidValue, .invalidParameters),
        (.error, .invalidParameters), (.closed, .invalidParameters), (.newerSchema, .invalidParameters), (.migration, .invalidParameters),
        (.noRow, .invalidParameters), (.setting, .invalidParameters),
        (.moved, nil), (.full, nil), (.inputOutput, nil), (.outOfMemory, nil), (.interrupted, nil), (SQLiteError.Code(rawValue: 999), nil),
    ]

    @Test(arguments: meanings)
    func `R26 each SQLite code maps to its meaning for a query`(_ code: SQLiteError.Code, _ expected: QueryError.Code?) {
        let error = SQLiteError(code, "what is wrong", sql: "SELECT 1")
        #expect(error.queryError?.code == expected)
        if expected != nil {
            #expect(error.queryError?.message == "what is wrong")
            #expect(error.queryError?.underlying is SQLiteError)
        }
    }

    @Test(arguments: meanings)
    func `R26 recovery follows the meaning of the error, and the caller gets the original error`(
        _ code: SQLiteError.Code,
        _ meaning: QueryError.Code?
    ) async throws {
        let asked = Recorder<String>()
        let bench = TestBench { _ in
            throw SQLiteError(code, "what is wrong", extendedCode: 4_242)
        } adjusting: { context in
            context.repair = { _, _ in
                asked.note("repair")
                return true
            }
            context.authorization = { _, _ in
                asked.note("authorize")
                return true
            }
        }
        await #expect {
            try await bench.client.fetch(Number().retry(limit: 2, backoff: .none))
        } throws: { error in
            (error as? SQLiteError)?.code == code && (error as? SQLiteError)?.extendedCode == 4_242
        }
        switch meaning {
        case .invalidParameters?:
            #expect(bench.backend.count == 1)
            #expect(asked.all.isEmpty)
        case .databaseCorruption?:
            #expect(bench.backend.count == 2)
            #expect(asked.all == ["repair"])
        case .insufficientPermissions?:
            #expect(bench.backend.count == 2)
            #expect(asked.all == ["authorize"])
        default:
            #expect(bench.backend.count == 3)
            #expect(asked.all.isEmpty)
        }
    }

    @Test func `R26 R11 a fetch that violates a constraint is not retried, and the error names the constraint`() async throws {
        let diary = try await Diary.open()
        let bench = TestBench { _ in
            try await diary.database.write { db in try db.execute("INSERT INTO food (id) VALUES (1), (1)") }
        }
        await #expect {
            try await bench.client.fetch(Number().retry(limit: 3, backoff: .none))
        } throws: { ($0 as? SQLiteError)?.constraint == .primaryKey || ($0 as? SQLiteError)?.constraint == .rowID }
        #expect(bench.backend.count == 1)
    }
}
