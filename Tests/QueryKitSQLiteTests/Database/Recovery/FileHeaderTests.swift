import Testing

@testable import QueryKitSQLite

/// What can be corrected in the first hundred bytes.
struct FileHeaderTests {
    private static let size: Int64 = 4096 * 5

    private static let sound: [UInt8] = {
        var bytes = Array("SQLite format 3\0".utf8) + Array(repeating: 0, count: 84)
        for (offset, value) in [(16, 16), (18, 2), (19, 2), (21, 64), (22, 32), (23, 32), (27, 9), (31, 5), (47, 4), (59, 1), (95, 9)] {
            bytes[offset] = UInt8(value)
        }
        return bytes
    }()

    @Test func `a sound header is not changed`() {
        var header = FileHeader(Self.sound, fileSize: Self.size)
        let isMended = header.mend()
        #expect(isMended)
        #expect(header.bytes == Self.sound)
    }

    @Test(arguments: [0..<16, 16..<18, 18..<20, 20..<21, 21..<24, 28..<32, 44..<48, 56..<60, 92..<96])
    func `fields that can have only one value are corrected`(_ damaged: Range<Int>) {
        var bytes = Self.sound
        for offset in damaged { bytes[offset] = 0xff }
        var header = FileHeader(bytes, fileSize: Self.size)
        let isMended = header.mend()
        #expect(isMended)
        #expect(header.bytes == Self.sound)
    }

    @Test func `a file shorter than its header says has the pages that are present`() {
        var header = FileHeader(Self.sound, fileSize: Self.size - 4097)
        let isMended = header.mend()
        #expect(isMended)
        #expect(header.bytes[31] == 4)
    }

    @Test func `a header with too few plausible fields is not changed unless the log has the page size`() {
        let text = Array(
            "Dear diary, today I had porridge with berries and far too much coffee, and then nothing at all till noon.".utf8.prefix(100)
        )
        var header = FileHeader(text, fileSize: Self.size)
        let isMended = header.mend()
        #expect(!isMended)
        #expect(header.bytes == text)
        let isMendedByLog = header.mend(knownPageSize: 65_536)
        #expect(isMendedByLog)
        #expect(Array(header.bytes[16...17]) == [0, 1])
    }
}
