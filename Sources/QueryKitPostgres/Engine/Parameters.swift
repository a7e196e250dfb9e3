#if Postgres
import CPostgres
import Foundation
import QueryKitSQL

/// The values of a statement in the form in which they are sent.
struct Parameters: Sendable {
    /// The types; 0 leaves the type to the server, which takes it from the place where the value is used. NULL has no type.
    private(set) var types: [UInt32] = []
    private var bytes: [UInt8] = []
    /// Where each value begins in ``bytes``; -1 for NULL.
    private var offsets: [Int] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    /// The server closes the connection if a message has 1 GiB or more.
    static let byteLimit = 1_000_000_000

    var count: Int { types.count }

    /// Throws if a value can't be sent.
    init(_ values: [SQLValue], byteLimit: Int = Self.byteLimit, sql: () -> String) throws(PostgresError) {
        if values.isEmpty { return }
        // The protocol counts parameters with 16 bits.
        guard values.count <= 65_535 else {
            throw PostgresError(
                .limit,
                "The statement has \(values.count) values, but PostgreSQL allows at most 65,535. Divide it into several statements.",
                sql: String(sql().prefix(1_000))
            )
        }
        types.reserveCapacity(values.count)
        offsets.reserveCapacity(values.count)
        lengths.reserveCapacity(values.count)
        formats.reserveCapacity(values.count)
        bytes.reserveCapacity(values.count * 8)
        for (index, value) in values.enumerated() {
            if let problem = add(value) {
                throw PostgresError(.invalidValue, "Value \(index + 1) of the statement \(problem)", sql: String(sql().prefix(1_000)))
            }
            guard bytes.count <= byteLimit else {
                throw PostgresError(
                    .limit,
                    "The first \(index + 1) values of the statement have \(bytes.count) bytes, but PostgreSQL takes at most 1 GB in one message. Divide them, or store files elsewhere.",
                    sql: String(sql().prefix(1_000))
                )
            }
        }
    }

    /// Adds a value, or returns what is wrong with it.
    private mutating func add(_ value: SQLValue) -> String? {
        switch value {
        case .null: addNull()
        case .bool(let value): addBinary(PostgresType.bool) { $0.append(value ? 1 : 0) }
        case .integer(let value): addBinary(PostgresType.int8) { $0.append(bigEndian: value) }
        case .real(let value): addBinary(PostgresType.float8) { $0.append(bigEndian: value.bitPattern) }
        case .text(let text): return addText(text)
        case .blob(let data): addBinary(PostgresType.bytea) { $0.append(contentsOf: data) }
        case .uuid(let uuid): addBinary(PostgresType.uuid) { bytes in withUnsafeBytes(of: uuid.uuid) { bytes.append(contentsOf: $0) } }
        case .unsigned(let value): addText("\(value)", PostgresType.numeric)
        case .decimal(let value): addText(value.isNaN ? "NaN" : value.description, PostgresType.numeric)
        case .date(let date):
            let microseconds = ((date.timeIntervalSinceReferenceDate + PostgresEpoch.toReferenceDate) * 1_000_000).rounded()
            // From 4713 BC to 294276 AD.
            guard microseconds >= -211_813_488_000_000_000, microseconds < 9_223_371_331_200_000_000 else {
                return "is a date that PostgreSQL can't store: it must be between 4713 BC and 294276 AD."
            }
            addBinary(PostgresType.timestamptz) { $0.append(bigEndian: Int64(microseconds)) }
        }
        return nil
    }

    private mutating func addNull() {
        types.append(StatementCache.nullType)
        offsets.append(-1)
        lengths.append(0)
        formats.append(1)
    }

    private mutating func addBinary(_ type: UInt32, _ write: (inout [UInt8]) -> Void) {
        let start = bytes.count
        types.append(type)
        offsets.append(start)
        write(&bytes)
        lengths.append(Int32(truncatingIfNeeded: bytes.count - start))
        formats.append(1)
        // A pointer to an empty value must not be null.
        bytes.append(0)
    }

    private mutating func addText(_ text: String, _ type: UInt32) {
        types.append(type)
        offsets.append(bytes.count)
        lengths.append(0)
        formats.append(0)
        bytes.append(contentsOf: text.utf8)
        bytes.append(0)
    }

    /// A text has no type of its own, so it can be compared with a date, an enum or JSON, as a literal in SQL.
    private mutating func addText(_ text: String) -> String? {
        let start = bytes.count
        addText(text, 0)
        guard !bytes[start..<bytes.count - 1].contains(0) else {
            return "contains a NUL character, which PostgreSQL can't store in a text."
        }
        return nil
    }

    /// Calls a closure with the arrays that the client library takes.
    func withPointers<Result>(
        _ body: (
            _ count: Int32, _ types: UnsafePointer<UInt32>?, _ values: UnsafePointer<UnsafePointer<CChar>?>?,
            _ lengths: UnsafePointer<Int32>?, _ formats: UnsafePointer<Int32>?
        ) -> Result
    ) -> Result {
        if types.isEmpty { return body(0, nil, nil, nil, nil) }
        return bytes.withUnsafeBytes { bytes in
            let base = bytes.bindMemory(to: CChar.self).baseAddress
            let values = offsets.map { offset -> UnsafePointer<CChar>? in offset < 0 ? nil : base.map { $0 + offset } }
            return values.withUnsafeBufferPointer { values in
                body(Int32(types.count), types, values.baseAddress, lengths, formats)
            }
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(bigEndian number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
    }
}
#endif
