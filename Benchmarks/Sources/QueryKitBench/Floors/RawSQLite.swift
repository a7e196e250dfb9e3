import CSQLite
import Dispatch
import Foundation

/// SQLite through its C interface, with the same settings and with statements prepared once. The floor of the engine.
// Invariant: each instance is used by one queue or one thread at a time, which the cases ensure.
final class RawSQLite: @unchecked Sendable {
    let handle: OpaquePointer
    private let queue = DispatchQueue(label: "raw")

    init(_ path: String) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(path, &opened, flags, nil) == SQLITE_OK, let opened else { preconditionFailure("\(path) can't be opened.") }
        handle = opened
        for pragma in ["journal_mode = wal", "synchronous = 1", "wal_autocheckpoint = 0", "cache_size = -8192", "foreign_keys = 1"] {
            run("PRAGMA \(pragma)")
        }
        sqlite3_busy_timeout(handle, 5_000)
    }

    deinit { sqlite3_close_v2(handle) }

    func run(_ sql: String) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        precondition(code == SQLITE_OK, String(cString: sqlite3_errmsg(handle)))
    }

    func prepare(_ sql: String) -> OpaquePointer {
        var statement: OpaquePointer?
        sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard let statement else { preconditionFailure(String(cString: sqlite3_errmsg(handle))) }
        return statement
    }

    func checkpoint() { sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_FULL, nil, nil) }

    /// The table in which the engine notes the latest commits for other processes, and the statement that does it.
    static let changeLog = "CREATE TABLE changes (number INTEGER PRIMARY KEY, names TEXT NOT NULL)"
    static let noteChange = "INSERT INTO changes (names) VALUES ('food')"

    /// Performs work on the queue of the connection, or on the current thread.
    func use<Value: Sendable>(_ hops: Bool, _ work: @escaping @Sendable (RawSQLite) -> Value) async -> Value {
        hops ? await hop(work) : work(self)
    }

    /// Performs work on the queue of the connection and awaits it: the hop that every non-blocking caller needs.
    func hop<Value: Sendable>(_ work: @escaping @Sendable (RawSQLite) -> Value) async -> Value {
        await withCheckedContinuation { caller in
            queue.async { [self] in caller.resume(returning: work(self)) }
        }
    }
}

/// A prepared statement of the C interface.
struct RawStatement: @unchecked Sendable {
    // Invariant: used only where its connection may be used.
    let handle: OpaquePointer

    /// Reads rows as the engine does: by index, into the same type.
    func foods(from first: Int64, count: Int64) -> [Food] {
        sqlite3_bind_int64(handle, 1, first)
        sqlite3_bind_int64(handle, 2, count)
        var foods: [Food] = []
        while sqlite3_step(handle) == SQLITE_ROW {
            foods.append(
                Food(
                    id: sqlite3_column_int64(handle, 0),
                    name: String(cString: sqlite3_column_text(handle, 1)),
                    kilocalories: sqlite3_column_double(handle, 2),
                    grams: Int(sqlite3_column_int64(handle, 3)),
                    category: sqlite3_column_type(handle, 4) == SQLITE_NULL ? nil : String(cString: sqlite3_column_text(handle, 4))
                )
            )
        }
        sqlite3_reset(handle)
        return foods
    }

    func insert(_ food: Food) {
        sqlite3_bind_int64(handle, 1, food.id)
        sqlite3_bind_text(handle, 2, food.name, -1, transient)
        sqlite3_bind_double(handle, 3, food.kilocalories)
        sqlite3_bind_int64(handle, 4, Int64(food.grams))
        if let category = food.category { sqlite3_bind_text(handle, 5, category, -1, transient) } else { sqlite3_bind_null(handle, 5) }
        sqlite3_step(handle)
        sqlite3_reset(handle)
    }
}

// Invariant: SQLITE_TRANSIENT is -1 cast to a function pointer, which C never calls.
private let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
