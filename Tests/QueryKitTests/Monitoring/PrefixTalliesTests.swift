import Testing

@testable import QueryKit

struct PrefixTalliesTests {
    private func source(_ slot: UInt32, _ generation: UInt32 = 0) -> PrefixTallies.Source {
        PrefixTallies.Source(slot: slot, generation: generation)
    }

    private let tally = RunTally(AlertThresholds(), target: nil)

    @Test func `R27 the number of prefixes is bounded, and further ones are counted as other`() {
        var book = PrefixTallies(AlertThresholds())
        for slot in UInt32(0)..<100 { _ = book.enlist(source(slot), prefix: "p\(slot)", new: tally, other: tally) }
        #expect(book.tallies.count == PrefixTallies.prefixLimit + 1)
        #expect(book.tally(of: source(31)) == 31)
        #expect(book.tally(of: source(32)) == 32)
        #expect(book.tally(of: source(99)) == 32)
        #expect(book.prefixes.last == .some(nil))
        let late = book.enlist(source(100), prefix: "p7", new: tally, other: tally)
        #expect(late == 7)
    }

    @Test func `R27 a store that reuses an earlier one's slot does not get its tally`() {
        var book = PrefixTallies(AlertThresholds())
        #expect(book.tally(of: source(5)) == nil)
        let first = book.enlist(source(5, 1), prefix: "a", new: tally, other: tally)
        #expect(book.tally(of: source(5, 1)) == first)
        #expect(book.tally(of: source(5, 2)) == nil)
        #expect(book.tally(of: source(4)) == nil)
        let second = book.enlist(source(5, 2), prefix: "b", new: tally, other: tally)
        #expect(book.tally(of: source(5, 2)) == second)
        #expect(first != second)
    }

    @Test func `R27 the total is the sum of all prefixes, except for its peak`() {
        var book = PrefixTallies(AlertThresholds())
        let one = book.enlist(source(0), prefix: "a", new: tally, other: tally)
        let two = book.enlist(source(1), prefix: "b", new: tally, other: tally)
        let first = [book.noteStart(one), book.noteStart(one)]
        _ = book.noteEnd(one, .succeeded, nanoseconds: 1_000)
        _ = book.noteEnd(one, .failed, nanoseconds: 2_000)
        let third = book.noteStart(two)
        #expect(first + [third] == [1, 2, 3])
        book.noteFailedAttempt(two)
        _ = book.noteLookup(two, isHit: true)
        _ = book.noteLookup(one, isHit: false)
        let metrics = QueryMetrics(book, storeCount: 2, byteCount: 16, droppedEventCount: 0)
        #expect(metrics.total.runs == 3)
        #expect(metrics.total.running == 1)
        #expect(metrics.total.peakRunning == 2)
        #expect(metrics.byPrefix["b"]?.peakRunning == 1)
        #expect(metrics.total.failedAttempts == 1)
        #expect(metrics.total.failureRate == 0.5)
        #expect(metrics.total.hitRate == 0.5)
        #expect(metrics.byPrefix["a"]?.hitRate == 0)
        #expect(metrics.byPrefix["b"]?.failureRate == nil)
        #expect(metrics.byPrefix["a"]?.p50 == .nanoseconds(1_008))
        #expect(metrics.total.p99 == .nanoseconds(2_000))
    }
}
