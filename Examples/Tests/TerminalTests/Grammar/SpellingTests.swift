import Testing

@testable import Terminal

@Suite(.timeLimit(.minutes(5))) struct SpellingTests {
    @Test(arguments: [("", "abc", 3), ("abc", "abc", 0), ("retyr", "retry", 1), ("fresh", "freshness", 4), ("kitten", "sitting", 3)])
    func `the distance counts different letters, and a swap of two neighbors as one`(left: String, right: String, distance: Int) {
        #expect(Spelling.distance(left, right) == distance)
        #expect(Spelling.distance(right, left) == distance)
    }

    @Test func `a prefix matches, and so does a word with at most a third of its letters wrong`() {
        let words = ["shared", "freshness"]
        #expect(Spelling.nearest(to: "fr", among: words) == "freshness")
        #expect(Spelling.nearest(to: "sharde", among: words) == "shared")
        #expect(Spelling.nearest(to: "shoddy", among: words) == nil)
        #expect(Spelling.nearest(to: "shared", among: []) == nil)
    }
}
