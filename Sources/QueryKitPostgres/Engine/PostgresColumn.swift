#if Postgres
public import CPostgres
public import Foundation

/// One column of a row, from which a type reads its value; see ``PostgresConvertible``.
public struct PostgresColumn: ~Copyable {
    @usableFromInline let owner: Unmanaged<PostgresResult>
    @usableFromInline let handle: OpaquePointer
    @usableFromInline let row: Int32
    @usableFromInline let index: Int32
    @usableFromInline let type: UInt32

    @inlinable
    init(_ row: borrowing PostgresRow, _ column: Int) {
        owner = row.owner
        handle = row.handle
        self.row = row.index
        index = Int32(truncatingIfNeeded: column)
        type = row.types[column]
    }

    /// Whether the column is NULL.
    @inlinable public var isNull: Bool { PQgetisnull(handle, row, index) != 0 }

    /// The binary form of the value, valid as long as the row.
    @inlinable
    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: PQgetvalue(handle, row, index), count: Int(PQgetlength(handle, row, index)))
    }

    /// A number of the binary form, which is big-endian.
    @inlinable
    func load<Number: FixedWidthInteger>(_ type: Number.Type) -> Number {
        // Invariant: the row and the column exist, so libpq returns a pointer. It doesn't align values.
        Number(bigEndian: UnsafeRawPointer(PQgetvalue(handle, row, index)!).loadUnaligned(as: Number.self))
    }

    /// The column as an integer: smallint, integer, bigint, or a numeric without fraction, as `sum` returns it.
    @inlinable
    public func integer() throws -> Int64 {
        if type == PostgresType.int8, !isNull { return load(Int64.self) }
        return try otherInteger()
    }

    @usableFromInline
    func otherInteger() throws -> Int64 {
        guard !isNull else { throw wrongType("an integer") }
        switch type {
        case PostgresType.int8: return load(Int64.self)
        case PostgresType.int4: return Int64(load(Int32.self))
        case PostgresType.int2: return Int64(load(Int16.self))
        case PostgresType.oid: return Int64(load(UInt32.self))
        case PostgresType.numeric:
            let number = try number()
            guard let integer = number.integer else { throw mismatch("the numeric is not a 64-bit integer") }
            return integer
        default: throw wrongType("an integer")
        }
    }

    /// The column as a number. Integers and numerics are converted.
    @inlinable
    public func real() throws -> Double {
        if type == PostgresType.float8, !isNull { return Double(bitPattern: load(UInt64.self)) }
        return try otherReal()
    }

    @usableFromInline
    func otherReal() throws -> Double {
        guard !isNull else { throw wrongType("a number") }
        switch type {
        case PostgresType.float8: return Double(bitPattern: load(UInt64.self))
        case PostgresType.float4: return Double(Float(bitPattern: load(UInt32.self)))
        case PostgresType.int8, PostgresType.int4, PostgresType.int2: return Double(try otherInteger())
        case PostgresType.numeric:
            let number = try number()
            guard let real = number.real else { throw mismatch("the numeric is not a number") }
            return real
        default: throw wrongType("a number")
        }
    }

    /// The column as a Boolean value.
    @inlinable
    public func bool() throws -> Bool {
        guard type == PostgresType.bool, !isNull else { throw wrongType("a boolean") }
        return load(UInt8.self) != 0
    }

    /// The column as text: text, varchar, char, name, json, jsonb or xml.
    ///
    /// Throws if its bytes are not valid UTF-8, which a server with the encoding SQL_ASCII doesn't check; ``blob()`` can read them anyway.
    @inlinable
    public func text() throws -> String {
        guard let text = TextBytes.text(try bytesOfText()) else { throw mismatch("the text is not valid UTF-8") }
        return text
    }

    @inlinable
    func bytesOfText() throws -> UnsafeBufferPointer<UInt8> {
        guard !isNull else { throw wrongType("a text") }
        let bytes = self.bytes
        if PostgresType.isText(type) { return bytes.bindMemory(to: UInt8.self) }
        // The binary form of jsonb is a version number, which is 1, followed by the text.
        guard type == PostgresType.jsonb, bytes.first == 1 else { throw wrongType("a text") }
        return UnsafeRawBufferPointer(rebasing: bytes.dropFirst()).bindMemory(to: UInt8.self)
    }

    /// The column as bytes. Also returns the bytes of a text.
    public func blob() throws -> Data {
        guard !isNull else { throw wrongType("bytes") }
        if type == PostgresType.bytea { return Data(bytes) }
        guard PostgresType.isText(type) || type == PostgresType.jsonb else { throw wrongType("bytes") }
        return Data(try bytesOfText())
    }

    /// The column as a point in time: timestamptz, timestamp (as UTC), or date (its beginning in UTC).
    public func date() throws -> Date {
        guard !isNull else { throw wrongType("a date") }
        switch type {
        case PostgresType.timestamptz, PostgresType.timestamp:
            let microseconds = load(Int64.self)
            guard microseconds != .max, microseconds != .min else { throw mismatch("infinity is not a date") }
            return Date(timeIntervalSinceReferenceDate: Double(microseconds) / 1_000_000 - PostgresEpoch.toReferenceDate)
        case PostgresType.date:
            let days = load(Int32.self)
            guard days != .max, days != .min else { throw mismatch("infinity is not a date") }
            return Date(timeIntervalSinceReferenceDate: Double(days) * 86_400 - PostgresEpoch.toReferenceDate)
        default: throw wrongType("a date")
        }
    }

    /// The column as a UUID.
    public func uuid() throws -> UUID {
        guard type == PostgresType.uuid, !isNull else { throw wrongType("a UUID") }
        return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }

    /// The column as a decimal number: numeric, with up to 38 digits, an integer or a floating-point number.
    public func decimal() throws -> Decimal {
        guard !isNull else { throw wrongType("a decimal number") }
        switch type {
        case PostgresType.numeric:
            let number = try number()
            guard let decimal = number.decimal else { throw mismatch("the numeric has more than 38 digits") }
            return decimal
        case PostgresType.int8, PostgresType.int4, PostgresType.int2: return Decimal(try otherInteger())
        case PostgresType.float4, PostgresType.float8:
            let real = try real()
            let decimal = real.isFinite ? Decimal(real) : .nan
            guard !decimal.isNaN else { throw mismatch("the number is not in the range of Decimal") }
            return decimal
        default: throw wrongType("a decimal number")
        }
    }

    private func number() throws -> NumericValue {
        guard let number = NumericValue(bytes) else { throw mismatch("the numeric can't be read") }
        return number
    }

    /// Creates an error that names this column and a reason.
    public func mismatch(_ reason: String) -> PostgresError {
        let result = owner.takeUnretainedValue()
        return PostgresError(.mismatch, "Column \(index) (\(result.name(of: index))): \(reason.prefix(1_000)).", sql: result.sql)
    }

    @usableFromInline
    func wrongType(_ wanted: String) -> PostgresError {
        if isNull { return mismatch("expected \(wanted), found NULL") }
        let found = PostgresType.name(of: type)
        guard PostgresType.isKnown(type) else {
            return mismatch("expected \(wanted), found \(found), which can't be read directly; select it as text with ::text")
        }
        return mismatch("expected \(wanted), found \(found)")
    }
}

/// PostgreSQL counts time from the beginning of 2000 in UTC.
enum PostgresEpoch {
    /// The seconds from there to the beginning of 2001, the reference date of Foundation.
    static let toReferenceDate = 366.0 * 86_400
}
#endif
