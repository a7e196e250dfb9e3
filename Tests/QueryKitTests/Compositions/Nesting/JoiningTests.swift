import Foundation
import QueryKit
import TestSupport
import Testing

extension Compositions {
    /// A subscriber whose handler is still receiving its first state.
    struct JoiningTests {
        @Test func `R4 a caller of a fresh value returns only after a subscriber that is still joining has received it`() async throws {
            let client = TestBench().client
            let request = Number(1).ttl(.infinity)
            client.setValue(5, for: request)
            let slow = Valve()
            Thread.detachNewThread {
                let subscription = client.store(for: request).subscribe(with: QueryEventHandler { _, _ in slow.wait() })
                subscription.store(in: &Self.kept.subscriptions)
            }
            await reaches { slow.arrivals == 1 }
            let caller = Task { try await client.fetch(request) }
            #expect(await !ends { _ = await caller.result })
            slow.open()
            #expect(try await caller.value == 5)
        }

        @Test func `R4 remaining subscribers receive every state, in whichever order others leave`() async {
            let client = TestBench().client
            let store = client.store(for: Number(1).enabled(false))
            let received = Lock<[Int: [Int]]>([:])
            var subscriptions: [Int: QuerySubscription] = [:]
            for number in 0..<200 {
                subscriptions[number] = store.subscribe(
                    with: QueryEventHandler { state, _ in
                        if let value = state.value { received.withLock { $0[number, default: []].append(value) } }
                    }
                )
            }
            var left = Array(0..<200)
            var value = 0
            while left.count > 1 {
                // At varying positions.
                for _ in 0..<min(left.count / 3 + 1, left.count - 1) {
                    let number = left.remove(at: (left.count * 7 + value) % left.count)
                    subscriptions[number]?.cancel()
                    subscriptions[number] = nil
                }
                received.withLock { $0 = [:] }
                value += 1
                store.setValue(value)
                #expect(received.withLock { $0 } == Dictionary(uniqueKeysWithValues: left.map { ($0, [value]) }))
                #expect(store.subscriberCount == left.count)
            }
        }

        private static let kept = Kept()

        // Invariant: used by one test, on one thread.
        private final class Kept: @unchecked Sendable {
            var subscriptions: Set<QuerySubscription> = []
        }
    }
}
