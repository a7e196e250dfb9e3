#if Postgres
import CPostgres

/// The rows that a statement has returned, in the memory of the client library.
// Invariant: a result isn't changed after it was received, and `PQclear` is called only when the last reference is gone.
@usableFromInline
final class PostgresResult: @unchecked Sendable {
    @usableFromInline let handle: OpaquePointer
    /// The types of the columns.
    @usableFromInline let types: UnsafeMutableBufferPointer<UInt32>
    @usableFromInline let count: Int
    /// The statement, for errors.
    let sql: String?

    init(_ handle: OpaquePointer, sql: String?) {
        self.handle = handle
        self.sql = sql
        count = Int(PQntuples(handle))
        let columns = Int(PQnfields(handle))
        types = .allocate(capacity: columns)
        for column in 0..<columns { types.initializeElement(at: column, to: PQftype(handle, Int32(column))) }
    }

    deinit {
        types.deallocate()
        PQclear(handle)
    }

    /// The memory that it takes, in bytes.
    var size: Int { Int(PQresultMemorySize(handle)) }

    /// The names of the columns.
    var names: [String] { types.indices.map { name(of: Int32($0)) } }

    func name(of column: Int32) -> String { PQfname(handle, column).map { String(cString: $0) } ?? "?" }

    /// The first column with a name, compared exactly.
    func index(of name: String) -> Int32? {
        for column in types.indices {
            guard let own = PQfname(handle, Int32(column)) else { continue }
            if name.utf8.elementsEqual(UnsafeBufferPointer(start: own, count: length(of: own)).lazy.map { UInt8(bitPattern: $0) }) {
                return Int32(column)
            }
        }
        return nil
    }

    private func length(of text: UnsafePointer<CChar>) -> Int {
        var count = 0
        while text[count] != 0 { count += 1 }
        return count
    }

    /// The command of the statement, such as `INSERT`, without the number of rows.
    var command: String {
        let text = PQcmdStatus(handle).map { String(cString: $0) } ?? ""
        return text.split(separator: " ").filter { Int($0) == nil }.joined(separator: " ")
    }

    /// Whether the server has forgotten all prepared statements. This is checked after each statement, so the text is parsed only in rare
    /// cases.
    var forgetsStatements: Bool {
        guard let text = PQcmdStatus(handle), text.pointee == CChar(UInt8(ascii: "D")) else { return false }
        return ["DISCARD ALL", "DEALLOCATE ALL"].contains(command)
    }

    /// The number of rows that the statement has changed; 0 for a statement that only reads.
    var changeCount: Int {
        guard let text = PQcmdTuples(handle), text.pointee != 0 else { return 0 }
        switch command {
        case "INSERT", "UPDATE", "DELETE", "MERGE", "COPY": return Int(String(cString: text)) ?? 0
        default: return 0
        }
    }

    /// Calls a closure with each row.
    @inlinable
    func forEach(_ body: (borrowing PostgresRow) throws -> Void) throws {
        try withExtendedLifetime(self) {
            for index in 0..<count { try body(PostgresRow(self, index)) }
        }
    }

    /// The results of a closure that is called with each row.
    @inlinable
    func map<Element>(_ transform: (borrowing PostgresRow) throws -> Element) throws -> [Element] {
        var elements: [Element] = []
        elements.reserveCapacity(count)
        try withExtendedLifetime(self) {
            for index in 0..<count { elements.append(try transform(PostgresRow(self, index))) }
        }
        return elements
    }

    /// The result of a closure that is called with the first row; `nil` if there is none.
    func first<Element>(_ transform: (borrowing PostgresRow) throws -> Element) throws -> Element? {
        count == 0 ? nil : try withExtendedLifetime(self) { try transform(PostgresRow(self, 0)) }
    }

    @usableFromInline
    func noColumn(_ description: String) -> PostgresError {
        PostgresError(
            .range,
            "The result has no column \(description). Its columns: \(names.joined(separator: ", ")).",
            sql: sql
        )
    }
}
#endif
