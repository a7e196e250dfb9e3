import Foundation
import QueryKit

/// Reads a file byte by byte, with a small part of it in memory at a time.
struct ByteSource {
    private let file: FileHandle?
    private let chunk: Int
    private var bytes: [UInt8] = []
    private var position = 0
    /// The number of bytes read before those in memory.
    private var before: Int64 = 0

    init(path: String, chunk: Int = 1 << 16) throws {
        guard !Disk.isFolder(path), let file = FileHandle(forReadingAtPath: path) else {
            throw FoodDiaryError(.file, "\(path) can't be read.")
        }
        self.file = file
        self.chunk = chunk
    }

    var consumed: Int64 { before + Int64(position) }

    mutating func next() throws -> UInt8? {
        if position == bytes.count, try !fill() { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func peek() throws -> UInt8? {
        if position == bytes.count, try !fill() { return nil }
        return bytes[position]
    }

    private mutating func fill() throws -> Bool {
        before += Int64(bytes.count)
        position = 0
        bytes = try file?.read(upToCount: chunk).map { [UInt8]($0) } ?? []
        return !bytes.isEmpty
    }

    /// Skips the byte order mark of UTF-8; throws if the file begins with the mark of another encoding.
    mutating func skipMark() throws {
        switch try peek() {
        case 0xEF:
            for byte: UInt8 in [0xEF, 0xBB, 0xBF] where try next() != byte { throw UnreadableFile(line: 1, "The text is not in UTF-8.") }
        case 0xFE, 0xFF, 0: throw UnreadableFile(line: 1, "The text is not in UTF-8, but probably in UTF-16 or UTF-32.")
        default: break
        }
    }
}
