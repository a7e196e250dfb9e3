import Foundation

/// Splits a JSON file into its objects, one at a time: the elements of an array, or a sequence of objects.
///
/// Parses only strings and brackets, which is enough for that; the decoder checks whether an object is valid.
struct JSONElements {
    private enum Place {
        case start, firstOfArray, afterElement, end, objects
    }

    /// A longer or deeper object is refused, because no diary contains one.
    private static let longest = 1_000_000
    private static let deepest = 32

    private var source: ByteSource
    private var line = 1
    private var place = Place.start

    init(_ source: ByteSource) throws {
        self.source = source
        try self.source.skipMark()
    }

    var consumed: Int64 { source.consumed }

    /// The next object and the line on which it begins; `nil` after the last object.
    mutating func next() throws -> (line: Int, object: Data)? {
        try skipSpace()
        guard let byte = try source.peek() else {
            switch place {
            case .start: throw UnreadableFile(line: line, "The file is empty.")
            case .firstOfArray, .afterElement: throw UnreadableFile(line: line, "The file ends before its array does.")
            case .end, .objects: return nil
            }
        }
        switch (place, byte) {
        case (.start, Byte.openBracket):
            _ = try source.next()
            place = .firstOfArray
            return try next()
        case (.start, _), (.objects, _):
            place = .objects
            return try object()
        case (.firstOfArray, Byte.closeBracket), (.afterElement, Byte.closeBracket):
            _ = try source.next()
            place = .end
            return try next()
        case (.firstOfArray, _):
            place = .afterElement
            return try object()
        case (.afterElement, Byte.comma):
            _ = try source.next()
            try skipSpace()
            return try object()
        case (.afterElement, _): throw UnreadableFile(line: line, "A comma is missing between two objects, or the end of the array.")
        case (.end, _): throw UnreadableFile(line: line, "Something follows the end of the array.")
        }
    }

    private mutating func object() throws -> (line: Int, object: Data) {
        let start = line
        guard try source.peek() == Byte.openBrace else {
            throw UnreadableFile(line: line, "An object is expected here; it begins with a brace.")
        }
        var bytes: [UInt8] = []
        var depth = 0
        var isText = false
        while let byte = try source.next() {
            bytes.append(byte)
            if byte == Byte.lineFeed { line += 1 }
            switch byte {
            case Byte.quote: isText.toggle()
            case Byte.backslash where isText:
                if let escaped = try source.next() { bytes.append(escaped) }
            case Byte.openBrace where !isText, Byte.openBracket where !isText: depth += 1
            case Byte.closeBrace where !isText, Byte.closeBracket where !isText:
                depth -= 1
                if depth == 0 { return (start, Data(bytes)) }
            default: break
            }
            guard bytes.count <= Self.longest else { throw UnreadableFile(line: start, "The object is longer than a megabyte.") }
            guard depth <= Self.deepest else { throw UnreadableFile(line: start, "The object has more than \(Self.deepest) levels.") }
        }
        throw UnreadableFile(line: start, "The file ends within the object that begins here.")
    }

    private mutating func skipSpace() throws {
        while let byte = try source.peek() {
            switch byte {
            case Byte.lineFeed: line += 1
            case Byte.space, Byte.tab, Byte.carriageReturn: break
            default: return
            }
            _ = try source.next()
        }
    }
}
