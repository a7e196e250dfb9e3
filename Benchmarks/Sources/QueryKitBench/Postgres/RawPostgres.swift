#if Postgres
import CPostgres
import Foundation

/// PostgreSQL through its client library: one connection, synchronous calls, prepared statements, binary values. The floor of the engine.
// Invariant: each instance is used by one task at a time, which the cases ensure.
final class RawPostgres: @unchecked Sendable {
    private let handle: OpaquePointer

    /// Opens a connection, and prepares statements under their names.
    init(_ url: String, _ statements: [String: (text: String, types: [Oid])] = [:]) {
        guard let handle = PQconnectdb(url) else { preconditionFailure("There is not enough memory.") }
        precondition(PQstatus(handle) == CONNECTION_OK, String(cString: PQerrorMessage(handle)))
        self.handle = handle
        for (name, statement) in statements {
            let types = statement.types
            PQclear(checked(PQprepare(handle, name, statement.text, Int32(types.count), types)))
        }
    }

    deinit { PQfinish(handle) }

    func run(_ statement: String) { PQclear(checked(PQexec(handle, statement))) }

    // MARK: One statement

    /// Executes a prepared statement, and waits for its result. The caller clears it.
    func execute(_ name: String, _ values: [RawValue] = []) -> OpaquePointer {
        RawValue.withPointers(to: values) { pointers, lengths, formats in
            checked(PQexecPrepared(handle, name, Int32(values.count), pointers, lengths, formats, 1))
        }
    }

    // MARK: Pipeline

    func enterPipeline() { PQenterPipelineMode(handle) }

    /// Adds a prepared statement to the pipeline.
    func send(_ name: String, _ values: [RawValue] = []) {
        RawValue.withPointers(to: values) { pointers, lengths, formats in
            _ = PQsendQueryPrepared(handle, name, Int32(values.count), pointers, lengths, formats, 1)
        }
    }

    /// Sends the pipeline.
    func sync() { PQpipelineSync(handle) }

    /// The result of the next statement of the pipeline. The caller clears it.
    func take() -> OpaquePointer {
        let result = checked(PQgetResult(handle))
        // Each statement has one result, and then none.
        precondition(PQgetResult(handle) == nil)
        return result
    }

    /// Waits for the end of the pipeline.
    func takeSync() { PQclear(checked(PQgetResult(handle))) }

    private func checked(_ result: OpaquePointer?) -> OpaquePointer {
        let status = PQresultStatus(result)
        guard let result, status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_PIPELINE_SYNC else {
            preconditionFailure(String(cString: PQerrorMessage(handle)))
        }
        return result
    }

    /// Reads all rows by index, into the same type as the engine, and clears the result.
    static func foods(_ result: OpaquePointer) -> [Food] {
        defer { PQclear(result) }
        return (0..<PQntuples(result)).map { row in
            Food(
                id: integer(result, row, 0),
                name: text(result, row, 1),
                kilocalories: Double(bitPattern: UInt64(bitPattern: integer(result, row, 2))),
                grams: Int(integer(result, row, 3)),
                category: PQgetisnull(result, row, 4) != 0 ? nil : text(result, row, 4)
            )
        }
    }

    private static func integer(_ result: OpaquePointer, _ row: Int32, _ column: Int32) -> Int64 {
        Int64(bigEndian: UnsafeRawPointer(PQgetvalue(result, row, column)).loadUnaligned(as: Int64.self))
    }

    private static func text(_ result: OpaquePointer, _ row: Int32, _ column: Int32) -> String {
        // The library adds a zero to each value.
        String(cString: PQgetvalue(result, row, column))
    }
}

/// A value in the binary form.
enum RawValue {
    case integer(Int64)
    case real(Double)
    case text(String)
    case null

    static let integerType: Oid = 20
    static let realType: Oid = 701
    static let textType: Oid = 25

    typealias Pointers = [UnsafePointer<CChar>?]

    /// Calls a closure with what the client library wants: pointers to the values, their lengths and their formats.
    static func withPointers<Result>(to values: [RawValue], _ body: (Pointers, [Int32], [Int32]) -> Result) -> Result {
        var bytes: [CChar] = []
        var lengths: [Int32] = []
        for value in values {
            let start = bytes.count
            switch value {
            case .integer(let number): withUnsafeBytes(of: number.bigEndian) { bytes += $0.map { CChar(bitPattern: $0) } }
            case .real(let number): withUnsafeBytes(of: number.bitPattern.bigEndian) { bytes += $0.map { CChar(bitPattern: $0) } }
            case .text(let text): bytes += text.utf8.map { CChar(bitPattern: $0) }
            case .null: break
            }
            lengths.append(Int32(bytes.count - start))
        }
        return bytes.withUnsafeBufferPointer { buffer in
            var offset = 0
            let pointers: Pointers = zip(values, lengths).map { value, length in
                defer { offset += Int(length) }
                if case .null = value { return nil }
                return buffer.baseAddress.map { $0 + offset }
            }
            return body(pointers, lengths, Array(repeating: 1, count: values.count))
        }
    }
}
#endif
