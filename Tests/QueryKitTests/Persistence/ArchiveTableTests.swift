import Foundation
import TestSupport
import Testing

@testable import QueryKit

struct ArchiveTableTests {
    private func key(_ path: QueryPath, session: String? = nil) -> QueryCacheKey { QueryCacheKey(path: path, type: "T", session: session) }

    private func entry(_ day: Int, _ text: String = "") -> QueryCacheEntry {
        QueryCacheEntry(data: Data(text.utf8), date: Date(timeIntervalSince1970: TimeInterval(day)))
    }

    @Test func `R28 of two entries with one key the newer one is kept, and of two equally old ones the later`() {
        var table = ArchiveTable()
        for (day, text) in [(2, "a"), (1, "b"), (2, "c")] { table.add(entry(day, text), key("food")) }
        #expect(table.take(key("food"))?.data == Data("c".utf8))
        #expect(table.take(key("food")) == nil)
        #expect(table.isEmpty)
    }

    @Test func `R28 R17 a table finds by pattern what a plain list finds`() {
        var dice = Dice(seed: 28)
        var table = ArchiveTable()
        var list: [QueryCacheKey: QueryCacheEntry] = [:]
        let words = ["a", "b", "c/d", "*"]
        let patterns: [QueryPattern] = [
            .all, "a/**", "**/b", "*/c\\/d", ["a", 1], .path(["a", "*"]), .prefix("b"), ["c/d", .any, .rest], "nothing",
        ]
        func path() -> QueryPath {
            let count = Int.random(in: 1...3, using: &dice)
            return QueryPath((0..<count).map { _ in Bool.random(using: &dice) ? words.randomElement(using: &dice)! : "1" })
        }
        for day in 0..<2_000 {
            let pattern = patterns.randomElement(using: &dice) ?? .all
            let some = key(path(), session: Bool.random(using: &dice) ? "s" : nil)
            switch Int.random(in: 0..<20, using: &dice) {
            case 0:
                table.remove(pattern)
                list = list.filter { !$0.key.isMatched(by: pattern) }
            case 1...3:
                table.invalidate(pattern)
                for key in list.keys where key.isMatched(by: pattern) { list[key]?.isInvalidated = true }
            case 4...6:
                #expect(table.take(some) == list.removeValue(forKey: some))
            default:
                table.add(entry(day), some)
                list[some] = entry(day)
            }
            let found = table.entries(matching: pattern)
            let wanted = list.filter { $0.key.isMatched(by: pattern) }
            #expect(found.count == wanted.count)
            #expect(Dictionary(found.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 }) == wanted)
            #expect(table.isEmpty == list.isEmpty)
        }
    }
}
