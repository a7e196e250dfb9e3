import CSQLite

/// Shares the storage of equal texts in a long result with many repetitions.
///
/// Texts are kept in a hash table without collision lists: a text replaces another one at the same index. So memory is bounded, and a
/// lookup costs less than copying the text.
package struct SharedTexts {
    /// Shorter texts are read as quickly as looked up. From 16 bytes on, a text has heap storage that can be shared.
    private static let byteCount = 8
    private static let largest = 4_096

    private var texts: [String] = []
    /// The number of texts that were replaced since the table got its current size.
    private var replacedCount = 0

    package init() {}

    /// The text of a column, read as in ``SQLiteColumn/text()``.
    package mutating func text(_ row: borrowing SQLiteRow, _ index: Int) throws -> String {
        guard index >= 0, index < row.columnCount else { throw row.statement.noColumn("number \(index)") }
        let column = SQLiteColumn(row.handle, Int32(truncatingIfNeeded: index), row.owner)
        let bytes = try column.bytesOfText()
        guard bytes.count >= Self.byteCount else { return try column.text(of: bytes) }
        if replacedCount >= texts.count, texts.count < Self.largest { grow() }
        let bucket = Self.hash(UnsafeRawBufferPointer(bytes)) & (texts.count - 1)
        if Self.hasSame(UnsafeRawBufferPointer(bytes), texts[bucket]) { return texts[bucket] }
        let text = try column.text(of: bytes)
        if !texts[bucket].isEmpty { replacedCount += 1 }
        texts[bucket] = text
        return text
    }

    private mutating func grow() {
        texts = Array(repeating: "", count: max(64, texts.count * 4))
        replacedCount = 0
    }

    // Both functions read eight bytes at a time. Texts in the table have at least eight.

    /// Hashes the first and the last bytes, which differ for most names.
    private static func hash(_ bytes: UnsafeRawBufferPointer) -> Int {
        let first = bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
        let last = bytes.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
        let product = (first ^ (last &* 0x9E37_79B9_7F4A_7C15) ^ UInt64(bytes.count)) &* 0xBF58_476D_1CE4_E5B9
        return Int(truncatingIfNeeded: product >> 40)
    }

    private static func hasSame(_ bytes: UnsafeRawBufferPointer, _ text: String) -> Bool {
        guard text.utf8.count == bytes.count else { return false }
        return text.utf8.withContiguousStorageIfAvailable { known in
            let known = UnsafeRawBufferPointer(known)
            func isSame(at offset: Int) -> Bool {
                bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) == known.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            }
            var offset = 0
            while offset + 8 <= bytes.count {
                guard isSame(at: offset) else { return false }
                offset += 8
            }
            return isSame(at: bytes.count - 8)
        } ?? false
    }
}
