import CSQLite

/// The texts of a long result in which the same ones come again and again: equal texts share one storage.
///
/// A text takes the place of another one with the same place in the table. So memory is bounded, and a look-up costs less than a copy of the text.
package struct SharedTexts {
    /// Shorter texts are as quickly read as looked up. From 16 bytes on a text has a storage that can be shared.
    private static let byteCount = 8
    private static let largest = 4_096

    private var texts: [String] = []
    /// How many texts have lost their place since the table has its size.
    private var replacedCount = 0

    package init() {}

    /// The text of a column, as ``SQLiteColumn/text()`` reads it.
    package mutating func text(_ row: borrowing SQLiteRow, _ index: Int) throws -> String {
        guard index >= 0, index < row.columnCount else { throw row.statement.noColumn("number \(index)") }
        let column = SQLiteColumn(row.handle, Int32(truncatingIfNeeded: index), row.owner)
        let bytes = try column.bytesOfText()
        guard bytes.count >= Self.byteCount else { return try column.text(of: bytes) }
        if replacedCount >= texts.count, texts.count < Self.largest { grow() }
        let place = Self.hash(UnsafeRawBufferPointer(bytes)) & (texts.count - 1)
        if Self.hasSame(UnsafeRawBufferPointer(bytes), texts[place]) { return texts[place] }
        let text = try column.text(of: bytes)
        if !texts[place].isEmpty { replacedCount += 1 }
        texts[place] = text
        return text
    }

    private mutating func grow() {
        texts = Array(repeating: "", count: max(64, texts.count * 4))
        replacedCount = 0
    }

    // Both look at eight bytes at a time. There are no fewer.

    /// Of the first and the last bytes, which tell most names apart.
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
