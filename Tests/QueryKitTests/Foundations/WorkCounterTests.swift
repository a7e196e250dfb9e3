import TestSupport
import Testing

@testable import QueryKit

struct WorkCounterTests {
    @Test func `R33 settled returns at once without outstanding work`() async {
        let counter = WorkCounter()
        #expect(await counter.settled())
        let token = counter.begin()
        #expect(counter.count == 1)
        token.end()
        token.end()
        #expect(counter.count == 0)
        #expect(await counter.settled())
    }

    @Test func `R33 suspended work does not count, and a released token ends its work`() async {
        let counter = WorkCounter()
        var token: WorkToken? = counter.begin()
        token?.suspend()
        #expect(await counter.settled())
        token?.resume()
        #expect(counter.count == 1)
        token = nil
        #expect(await counter.settled())
    }

    @Test func `R33 all waiters resume with the end of the last work, and a cancelled one before`() async {
        let counter = WorkCounter()
        let tokens = [counter.begin(), counter.begin()]
        let waiting = (0..<3).map { _ in Task { await counter.settled() } }
        waiting[0].cancel()
        #expect(await !waiting[0].value)
        for token in tokens { token.end() }
        #expect(await waiting[1].value)
        #expect(await waiting[2].value)
    }

    @Test func `R33 a task that starts to wait while the last work ends is resumed`() async {
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
