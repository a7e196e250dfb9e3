import TestSupport
import Testing

@testable import QueryKit

@Suite(.timeLimit(.minutes(5))) struct WorkCounterTests {
    @Test func `R33 nobody waits where no work is left`() async {
        let counter = WorkCounter()
        #expect(await counter.settled())
        let token = counter.begin()
        #expect(counter.count == 1)
        token.end()
        token.end()
        #expect(counter.count == 0)
        #expect(await counter.settled())
    }

    @Test func `R33 work that rests does not count, and work that is forgotten ends`() async {
        let counter = WorkCounter()
        var token: WorkToken? = counter.begin()
        token?.rest()
        #expect(await counter.settled())
        token?.wake()
        #expect(counter.count == 1)
        token = nil
        #expect(await counter.settled())
    }

    @Test func `R33 all who wait go on with the last piece of work, and a cancelled one before`() async {
        let counter = WorkCounter()
        let tokens = [counter.begin(), counter.begin()]
        let waiting = (0..<3).map { _ in Task { await counter.settled() } }
        waiting[0].cancel()
        #expect(await !waiting[0].value)
        for token in tokens { token.end() }
        #expect(await waiting[1].value)
        #expect(await waiting[2].value)
    }

    @Test func `R33 whoever begins to wait while the last work ends is not left behind`() async {
        let counter = WorkCounter()
        for _ in 0..<20_000 {
            counter.count(true)
            async let first = counter.settled()
            async let second = counter.settled()
            counter.count(false)
            let isSettled = await (first, second)
            if isSettled != (true, true) { Issue.record("Left behind") }
        }
        #expect(counter.count == 0)
    }
}
