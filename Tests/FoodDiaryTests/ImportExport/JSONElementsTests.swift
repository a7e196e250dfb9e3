import Foundation
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite

struct JSONElementsTests {
    private let folder: ExchangeFolder

    init() throws { folder = try ExchangeFolder() }

    private static let objectExpected = "An object is expected here; it begins with a brace."

    private func elements(_ text: String, chunk: Int = 1 << 16) throws -> [String] {
        let file = try folder.file("a.json", text)
        var reader = try JSONElements(ByteSource(path: file.path, chunk: chunk))
        var elements: [String] = []
        while let (line, object) = try reader.next() { elements.append("\(line): " + String(decoding: object, as: UTF8.self)) }
        return elements
    }

    @Test(arguments: [
        ("[]", []), (" \n[ ] \n", []), ("[{}]", ["1: {}"]), ("[{},\n {\"a\":1}\n]\n", ["1: {}", "2: {\"a\":1}"]), ("{}", ["1: {}"]),
        ("{}\n{\"a\":[{}]}\n\n{}", ["1: {}", "2: {\"a\":[{}]}", "4: {}"]), ("{\"a\":\"}\\\"]\"}", ["1: {\"a\":\"}\\\"]\"}"]),
        ("{\"a\":\"\\\\\"} {}", ["1: {\"a\":\"\\\\\"}", "1: {}"]), ("\u{FEFF}[{}]", ["1: {}"]), ("[\n{\n},{}]", ["2: {\n}", "3: {}"]),
        ("[{\"a\":\"🍎\"}]", ["1: {\"a\":\"🍎\"}"]),
    ])
    func `a list is split into its objects`(_ text: String, _ expected: [String]) throws {
        for chunk in [1, 2, 3, 1 << 16] { #expect(try elements(text, chunk: chunk) == expected) }
    }

    @Test(arguments: [
        ("", "line 1: The file is empty."), (" \n ", "line 2: The file is empty."), ("[", "line 1: The file ends before its array does."),
        ("[{},\n{}", "line 2: The file ends before its array does."),
        ("[{}\n{}]", "line 2: A comma is missing between two objects, or the end of the array."),
        ("[{}] x", "line 1: Something follows the end of the array."), ("[{}][{}]", "line 1: Something follows the end of the array."),
        ("[{},]", "line 1: \(objectExpected)"), ("[,{}]", "line 1: \(objectExpected)"), ("[1]", "line 1: \(objectExpected)"),
        ("\"a\"", "line 1: \(objectExpected)"), ("{}\n7", "line 2: \(objectExpected)"),
        ("[\n{\"a\":\n", "line 2: The file ends within the object that begins here."),
        ("{\"a\":\"", "line 1: The file ends within the object that begins here."),
        ("[{\"a\":" + String(repeating: "[", count: 100_000), "line 1: The object has more than 32 levels."),
        ("[{\"a\":\"" + String(repeating: "b", count: 2_000_000), "line 1: The object is longer than a megabyte."),
        ("[{\"a\":[[]}]", "line 1: The file ends before its array does."),
    ])
    func `text that is not a list of objects is reported with its line`(_ text: String, _ message: String) {
        let error = #expect(throws: UnreadableFile.self) { try elements(text) }
        #expect(error?.problem.description == message)
    }
}
