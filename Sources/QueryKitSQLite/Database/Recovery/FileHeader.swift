/// The first hundred bytes of a database, without which SQLite doesn't read the rest ("The Database Header").
struct FileHeader {
    static let count = 100

    private(set) var bytes: [UInt8]
    private let fileSize: Int64

    init(_ bytes: [UInt8], fileSize: Int64) {
        self.bytes = bytes
        self.fileSize = fileSize
    }

    /// The first bytes of an SQLite file.
    private static let magic = Array("SQLite format 3\0".utf8)

    /// The page size, if it is valid.
    private var pageSize: Int64? {
        let size = Int64(bytes[16]) << 8 | Int64(bytes[17])
        // 65,536 doesn't fit into two bytes, and is stored as 1.
        if size == 1 { return 65_536 }
        return size >= 512 && size <= 32_768 && size & (size - 1) == 0 ? size : nil
    }

    /// Repairs fields that have only one valid value, or for which a default does no harm. Returns false if so little is valid that the
    /// file may be anything.
    ///
    /// - Parameter knownPageSize: The page size according to the log, or to the pages themselves.
    mutating func mend(knownPageSize: Int64? = nil) -> Bool {
        guard bytes.count == Self.count else { return false }
        let fractions: [UInt8] = [64, 32, 32]
        // Requires two of three: the magic string, the constants, a valid page size.
        let clues = [bytes.starts(with: Self.magic), Array(bytes[21...23]) == fractions, pageSize != nil]
        guard clues.count(where: { $0 }) >= 2 || knownPageSize != nil else { return false }
        bytes.replaceSubrange(0..<16, with: Self.magic)
        bytes.replaceSubrange(21...23, with: fractions)
        if pageSize == nil { setPageSize(knownPageSize ?? 4_096) }
        for version in [18, 19] where bytes[version] != 1 && bytes[version] != 2 { bytes[version] = 2 }
        guard let pageSize else { return false }
        // Extensions reserve space at the end of each page for a checksum or a key: at most a few dozen bytes.
        if pageSize - Int64(bytes[20]) < 480 || bytes[20] > 64 { bytes[20] = 0 }
        // Set the actual number of pages: SQLite refuses a file that is shorter than its header says.
        setNumber(at: 28, to: UInt32(clamping: (fileSize + pageSize - 1) / pageSize))
        setNumber(at: 92, to: number(at: 24))
        if !(1...4).contains(number(at: 44)) { setNumber(at: 44, to: 4) }
        if !(1...3).contains(number(at: 56)) { setNumber(at: 56, to: 1) }
        return true
    }

    private mutating func setPageSize(_ size: Int64) {
        let value = size == 65_536 ? 1 : size
        bytes[16] = UInt8(value >> 8 & 0xff)
        bytes[17] = UInt8(value & 0xff)
    }

    private func number(at offset: Int) -> UInt32 { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) } }

    private mutating func setNumber(at offset: Int, to number: UInt32) {
        for (index, shift) in [24, 16, 8, 0].enumerated() { bytes[offset + index] = UInt8(truncatingIfNeeded: number >> UInt32(shift)) }
    }
}
