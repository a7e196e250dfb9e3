import Testing

@testable import QueryKit

struct NearMissTests {
    private func miss(_ pattern: QueryPattern, of paths: QueryPath..., within limit: Int = 1_000) -> NearMiss? {
        var index = PathIndex()
        for (number, path) in paths.enumerated() { index.insert(UInt32(number), at: path) }
        return index.nearMiss(of: pattern, within: limit)
    }

    @Test(arguments: [
        ("trip", "trips"), ("trips", "trip"), ("tirps", "trips"), ("tripz", "trips"), ("Trips", "trips"), ("entires", "entries"),
        ("setings", "settings"), ("photoes", "photos"), ("ingredint", "ingredients"), ("food-entry", "food-entris"),
    ])
    func `R32 a typing slip is found at the beginning, in the middle and at the end of a pattern`(_ wrong: String, right: String) {
        let patterns = ["\(wrong)/**", "\(wrong)/a", "a/\(wrong)", "a/*/\(wrong)/b", "**/\(wrong)"].map { QueryPattern(stringLiteral: $0) }
        let paths: [QueryPath] = [[right, "x"], [right, "a"], ["a", right], ["a", 5, right, "b"], ["x", right]]
        let positions = [0, 0, 1, 2, 1]
        for ((pattern, path), position) in zip(zip(patterns, paths), positions) {
            #expect(miss(pattern, of: ["other"], path) == NearMiss(path: path, difference: .word(position: position, word: right)))
        }
    }

    @Test(arguments: [
        ("a", "b"), ("id", "ids"), ("monday", "sunday"), ("food", "good-food"), ("trip", "tripods"), ("page1", "page2"), ("2024", "2025"),
        ("user", "order"), ("cats", "dogs"), ("trips", "trip 5"),
    ])
    func `R32 a different word does not count as a slip`(_ word: String, other: String) {
        #expect(miss(QueryPattern(stringLiteral: "\(word)/**"), of: [other, 1]) == nil)
    }

    @Test func `R32 a path that differs in more than one place is not a near miss`() {
        #expect(miss("trip/al", of: "trips/all") == nil)
        #expect(miss("trip", of: "trips/all") == nil)
        #expect(miss("trips", of: "trips/all/old") == nil)
        #expect(miss("trips/*/photos", of: "trips") == nil)
        #expect(miss("trips/*", of: "trips") == nil)
    }

    @Test func `R32 a path one level below a pattern is a near miss, unless the pattern matches all levels`() {
        #expect(miss("trips/*", of: "trips/5/photos") == NearMiss(path: "trips/5/photos", difference: .level))
        #expect(miss("**/photos", of: "trips/photos/old") == NearMiss(path: "trips/photos/old", difference: .level))
        #expect(miss("trips/**", of: "trip-photos/5") == nil)
    }

    @Test func `R32 a number is not compared as a word`() {
        #expect(miss(["trips", 15, .rest], of: ["trips", 16]) == nil)
        #expect(miss("trips/**", of: [5, "trips"]) == nil)
    }

    @Test func `R32 the search stops after its limit of steps`() {
        var index = PathIndex()
        for number in 0..<2_000 { index.insert(UInt32(number), at: ["trips", number, "photos"]) }
        #expect(index.nearMiss(of: "trip/**", within: 3) == nil)
        #expect(index.nearMiss(of: "trip/**") != nil)
        #expect(index.nearMiss(of: "trips/*/photo") != nil)
        for number in 2_000..<4_000 { index.insert(UInt32(number), at: ["word\(number)"]) }
        // The near miss is beyond the limit of the search.
        #expect(index.nearMiss(of: "trip/**") == nil)
    }
}
