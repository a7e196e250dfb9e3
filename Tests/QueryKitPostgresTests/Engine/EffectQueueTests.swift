#if Postgres
@testable import QueryKitPostgres
import Testing

struct EffectQueueTests {
    @Test func `effects are performed in the order of the changes, by one thread at a time`() {
        var queue = EffectQueue<Int>()
        #expect(queue.begin([]) == [])
        #expect(queue.begin([1, 2]) == [1, 2])
        // Changes of other threads while the first one performs its effects.
        #expect(queue.begin([3]) == [])
        #expect(queue.begin([]) == [])
        #expect(queue.begin([4, 5]) == [])
        #expect(queue.next() == [3, 4, 5])
        #expect(queue.begin([6]) == [])
        #expect(queue.next() == [6])
        #expect(queue.next() == [])
        #expect(queue.begin([7]) == [7])
        #expect(queue.next() == [])
    }
}
#endif
