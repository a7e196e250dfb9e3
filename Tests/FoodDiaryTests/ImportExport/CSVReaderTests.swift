import Foundation
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite

struct CSVReaderTests {
    private let folder: ExchangeFolder

    init() throws { folder = try ExchangeFolder() }

    /// The rows with their lines, read in chunks of the given number of bytes.
    private func rows(_ text: String, chunk: Int = 1 << 16) throws -> [String] {
        let file = try folder.file("a.csv", text)
        var reader = try CSVReader(ByteSource(path: file.path, chunk: chunk))
        var row = CSVReader.Row()
        var rows: [String] = []
        while try reader.next(&row) { rows.append("\(row.line): " + (0..<row.count).map { row[$0] ?? "?" }.joined(separator: "|")) }
        #expect(reader.consumed == text.utf8.count)
        return rows
    }

    @Test(arguments: [
        ("", []), ("\n\r\n\n", []), ("a", ["1: a"]), ("a,b\n", ["1: a|b"]), ("a,b\r\nc,d\r\n", ["1: a|b", "2: c|d"]),
        ("a\rb\r\rc", ["1: a", "2: b", "4: c"]), (",\n,,", ["1: |", "2: ||"]), ("a,", ["1: a|"]), ("\"\"", ["1: "]),
        ("\"a,b\",\"c\"\"d\"", ["1: a,b|c\"d"]), ("\"a\nb\r\nc\",d\ne", ["1: a\nb\r\nc|d", "4: e"]), ("\"a\rb\"\nc", ["1: a\rb", "3: c"]),
        ("5\" pan,a \"b\" c", ["1: 5\" pan|a \"b\" c"]), ("\u{FEFF}a,b", ["1: a|b"]), (" a , b ", ["1:  a | b "]),
        ("Phở,りんご,🍎\r\n", ["1: Phở|りんご|🍎"]), ("\n\na\n\n\nb\n", ["3: a", "6: b"]),
    ])
    func `rows are parsed as in RFC 4180`(_ text: String, _ expected: [String]) throws {
        for chunk in [1, 2, 3, 5, 1 << 16] { #expect(try rows(text, chunk: chunk) == expected) }
    }

    @Test func `a quote without an end is reported with the line on which it begins`() {
        let error = #expect(throws: UnreadableFile.self) { try rows("a,b\nc,\"d\ne\nf") }
        #expect(error?.problem.description == "line 2: The quote that begins here is never closed.")
    }

    @Test func `a field without an end is rejected before it fills the memory`() {
        let error = #expect(throws: UnreadableFile.self) { try rows("a\n\"" + String(repeating: "b,c\n", count: 2_600_000)) }
        #expect(error?.problem.line == 2)
        #expect(error?.problem.message == "The row that begins here is longer than a megabyte. A closing quote may be missing.")
    }

    @Test func `text of another encoding is reported`() throws {
        let utf16 = try folder.file("b.csv", Data([0xFF, 0xFE, 0x61, 0x00]))
        #expect(throws: UnreadableFile.self) { try CSVReader(ByteSource(path: utf16.path)) }
        let broken = try folder.file("c.csv", Data([0x61, 0x2C, 0xC3, 0x28, 0x0A]))
        var reader = try CSVReader(ByteSource(path: broken.path))
        var row = CSVReader.Row()
        #expect(try reader.next(&row))
        #expect(row[0] == "a" && row[1] == nil)
    }

    @Test func `text after a quoted field is reported`() throws {
        let file = try folder.file("d.csv", "\"a\"b,c\n\"d\",e\n")
        var reader = try CSVReader(ByteSource(path: file.path))
        var row = CSVReader.Row()
        #expect(try reader.next(&row) && row.isMisquoted)
        #expect(try reader.next(&row) && !row.isMisquoted)
    }

    @Test func `a missing file can't be read`() {
        #expect(throws: FoodDiaryError.self) { try ByteSource(path: "/nowhere/at/all.csv") }
        #expect(throws: FoodDiaryError.self) { try ByteSource(path: "/") }
    }

    @Test func `endless fields are rejected before they fill the memory`() {
        #expect(throws: UnreadableFile.self) { try rows(String(repeating: ",", count: 2 << 20)) }
    }
}
