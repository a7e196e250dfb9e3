import Foundation
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite

struct ModelAnswerTests {
    private func answer(_ text: String) -> ModelAnswer { ModelAnswer(Data(text.utf8)) }

    @Test func `names and amounts are read, and other fields are ignored`() {
        let answer = answer(
            """
            [{"name": "Egg", "grams": 120, "kcal": 9000, "nutrients": {"protein": 99}}, {"id": 7, "portion": "slice", "count": 2},
             {"name": "Rye bread", "portion": "slice"}, {"name": "Butter", "kcal": 1}]
            """
        )
        #expect(
            answer.entries == [
                ProposedEntry(name: "Egg", amount: .grams(120)),
                ProposedEntry(name: "", ingredientID: Ingredient.ID(rawValue: 7), amount: .portions("slice", count: 2)),
                ProposedEntry(name: "Rye bread", amount: .portions("slice", count: 1)),
                ProposedEntry(name: "Butter", amount: .unknown),
            ]
        )
        #expect(answer.faults.isEmpty)
        #expect(answer.ignoredFields == ["kcal", "nutrients"])
    }

    @Test(arguments: [
        #"[{"name":"Egg","grams":50}]"#, #"{"entries":[{"name":"Egg","grams":50}]}"#, "```json\n[{\"name\":\"Egg\",\"grams\":50}]\n```",
        "Here you are: [{\"name\":\"Egg\",\"grams\":50}] Enjoy!",
    ])
    func `the list may be wrapped in other text`(_ text: String) {
        #expect(answer(text).entries == [ProposedEntry(name: "Egg", amount: .grams(50))])
    }

    @Test(arguments: [
        "1", "null", "\"Egg\"", "[]", "{}", "{\"name\":5,\"grams\":1}", "{\"name\":\"\"}", "{\"name\":\"\\u0007\"}",
        "{\"name\":\"A\",\"grams\":\"12\"}",
        "{\"name\":\"A\",\"grams\":true}", "{\"name\":\"A\",\"grams\":[1]}", "{\"name\":\"A\",\"grams\":1e999}", "{\"id\":1.5}",
        "{\"id\":1e30}",
        "{\"name\":\"A\",\"portion\":3}", "{\"name\":{\"name\":\"A\"},\"grams\":1}",
    ])
    func `a bad element does not affect the others`(_ element: String) {
        let answer = answer("[{\"name\":\"Egg\",\"grams\":50},\(element),{\"name\":\"Milk\",\"grams\":200}]")
        #expect(answer.entries.map(\.name) == ["Egg", "Milk"])
        #expect(answer.faults.map(\.number) == [2])
        #expect(answer.faults.allSatisfy { $0.message.hasSuffix(".") })
    }

    @Test(arguments: [
        ("1", "It is not an object with a name and an amount."), (#"{"id": 1.5}"#, "Its id is not a whole number."),
        (#"{"grams": 1}"#, "It has no name."), (#"{"name": 5}"#, "Its name is not a text."),
        (#"{"name": "A", "grams": "12"}"#, "Its grams is not a number."),
    ])
    func `the fault of an element says what is wrong with it`(_ element: String, _ message: String) {
        #expect(answer("[\(element)]").faults.map(\.message) == [message])
        #expect(answer("no").faults.map(\.message) == ["The answer is not a JSON array of entries."])
    }

    @Test(arguments: [
        "", "no", "{", "[", "[{\"name\":\"Egg\"", "{\"entries\":5}", "5", String(repeating: "[", count: 60_000),
        String(repeating: "x", count: 70_000),
        String(repeating: "[", count: 30_000) + String(repeating: "]", count: 30_000), "\u{0}",
    ])
    func `an unreadable answer is one fault`(_ text: String) {
        let answer = answer(text)
        #expect(answer.entries.isEmpty)
        #expect(answer.faults.count == 1)
        #expect(answer.faults.first?.number == nil)
    }

    @Test func `bytes that are not text are one fault`() {
        #expect(ModelAnswer(Data([0x5B, 0xFF, 0xFE, 0x5D])).faults.count == 1)
    }

    @Test func `only a limited number of elements is read`() {
        let element = #"{"name":"Egg","grams":50}"#
        let answer = answer("[" + Array(repeating: element, count: 80).joined(separator: ",") + "]")
        #expect(answer.entries.count == ModelAnswer.maxCount)
        #expect(answer.faults.map(\.number) == [nil])
        #expect(answer.faults.map(\.message) == ["The answer has 80 entries; only the first 50 are read."])
    }

    @Test func `only a limited number of bytes is read`() {
        let faults = answer(String(repeating: "x", count: 70_000)).faults
        #expect(faults.map(\.message) == ["The answer has 70000 bytes; at most 65536 are read."])
    }

    @Test func `ignored fields are reported, up to a limit`() {
        let fields = (0..<500).map { "\"field\($0)\(String(repeating: "y", count: 50))\":1" }.joined(separator: ",")
        let answer = answer("[{\"name\":\"Egg\",\"grams\":1,\(fields)}]")
        #expect(answer.entries.count == 1)
        #expect(answer.ignoredFields.count <= 50)
        #expect(answer.ignoredFields.allSatisfy { $0.count <= 40 })
    }

    @Test(arguments: [300, 500])
    func `a deeply nested answer does not overflow a task's stack`(_ depth: Int) async {
        let deep = String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)
        let count = await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: ModelAnswer(Data("[\(deep)]".utf8)).faults.count) }
            thread.stackSize = 1 << 19
            thread.start()
        }
        #expect(count == 1)
    }

    @Test func `brackets inside a string don't count as nesting`() {
        let name = String(repeating: "[{\\\"", count: 40)
        #expect(answer("[{\"name\":\"\(name)\",\"grams\":1}]").entries.count == 1)
    }
}
