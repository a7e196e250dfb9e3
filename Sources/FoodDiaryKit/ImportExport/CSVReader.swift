/// Reads rows of CSV (RFC 4180), one at a time.
///
/// Lines may have any line ending, and quoted fields may contain line breaks. In a field that doesn't begin with a quote, quotes are
/// ordinary characters.
struct CSVReader {
    /// A longer row is an error, most likely a missing quote.
    private static let longest = 1_000_000

    private var source: ByteSource
    private var line = 1

    init(_ source: ByteSource) throws {
        self.source = source
        try self.source.skipMark()
    }

    var consumed: Int64 { source.consumed }

    /// The fields of a row, as consecutive bytes.
    struct Row {
        fileprivate(set) var line = 0
        fileprivate var bytes: [UInt8] = []
        fileprivate var ends: [Int] = []
        /// Whether there were characters between the end of a quoted field and the next separator.
        fileprivate(set) var isMisquoted = false

        var count: Int { ends.count }

        /// The text of a field; `nil` if it is not in UTF-8.
        subscript(field: Int) -> String? {
            let bytes = bytes[(field == 0 ? 0 : ends[field - 1])..<ends[field]]
            // Decoding repairs invalid UTF-8, so the result then differs from the bytes.
            let text = String(decoding: bytes, as: UTF8.self)
            return text.utf8.elementsEqual(bytes) ? text : nil
        }
    }

    /// Reads the next row that is not empty into an existing value; returns `false` after the last row.
    mutating func next(_ row: inout Row) throws -> Bool {
        while try source.peek() == Byte.carriageReturn || source.peek() == Byte.lineFeed { try skipLineBreak() }
        row.line = line
        row.bytes.removeAll(keepingCapacity: true)
        row.ends.removeAll(keepingCapacity: true)
        row.isMisquoted = false
        guard try source.peek() != nil else { return false }
        while true {
            if try source.peek() == Byte.quote { try readQuoted(into: &row) }
            try readPlain(into: &row)
            row.ends.append(row.bytes.count)
            try checkLength(of: row, from: row.line)
            switch try source.peek() {
            case Byte.comma: _ = try source.next()
            case nil: return true
            default:
                try skipLineBreak()
                return true
            }
        }
    }

    private mutating func readPlain(into row: inout Row) throws {
        while let byte = try source.peek(), byte != Byte.comma, byte != Byte.carriageReturn, byte != Byte.lineFeed {
            _ = try source.next()
            row.bytes.append(byte)
            try checkLength(of: row, from: row.line)
        }
    }

    private mutating func readQuoted(into row: inout Row) throws {
        let start = line
        _ = try source.next()
        while let byte = try source.next() {
            switch byte {
            case Byte.quote:
                if try source.peek() == Byte.quote {
                    _ = try source.next()
                    row.bytes.append(byte)
                } else {
                    if let next = try source.peek(), next != Byte.comma, next != Byte.carriageReturn, next != Byte.lineFeed {
                        row.isMisquoted = true
                    }
                    return
                }
            case Byte.lineFeed:
                line += 1
                row.bytes.append(byte)
            case Byte.carriageReturn:
                if try source.peek() != Byte.lineFeed { line += 1 }
                row.bytes.append(byte)
            default: row.bytes.append(byte)
            }
            try checkLength(of: row, from: start)
        }
        throw UnreadableFile(line: start, "The quote that begins here is never closed.")
    }

    private func checkLength(of row: Row, from line: Int) throws {
        guard row.bytes.count + row.ends.count <= Self.longest else {
            throw UnreadableFile(line: line, "The row that begins here is longer than a megabyte. A closing quote may be missing.")
        }
    }

    private mutating func skipLineBreak() throws {
        if try source.next() == Byte.carriageReturn, try source.peek() == Byte.lineFeed { _ = try source.next() }
        line += 1
    }
}

/// The characters with a meaning in files, as bytes.
enum Byte {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let quote: UInt8 = 0x22
    static let comma: UInt8 = 0x2C
    static let semicolon: UInt8 = 0x3B
    static let equals: UInt8 = 0x3D
    static let backslash: UInt8 = 0x5C
    static let openBracket: UInt8 = 0x5B
    static let closeBracket: UInt8 = 0x5D
    static let openBrace: UInt8 = 0x7B
    static let closeBrace: UInt8 = 0x7D
}
