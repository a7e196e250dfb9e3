import Foundation
import QueryKit
import TestSupport
import Testing

extension Compositions {
    /// The caller of a large change delivers only a bounded part of it.
    struct BoundedWorkTests {
        /// A change that affects all stores.
        enum Kind: CaseIterable, Sendable {
            case changed, invalidated, tagged, reset, cleared

            func carryOut(_ client: QueryClient, _ source: Source) {
                switch self {
                case .changed: client.changed([source.region])
                case .invalidated: client.invalidate("number/*")
                case .tagged: client.invalidate(tags: ["all"])
                case .reset: client.reset("number/*")
                case .cleared: client.clear()
                }
            }
        }

        /// Counts handler calls, in total and on the thread that makes a change.
        private final class Counter: Sendable {
            private let thread = Lock<Thread?>(nil)
            private let counts = Lock((own: 0, all: 0))

            var own: Int { counts.withLock { $0.own } }
            var all: Int { counts.withLock { $0.all } }

            func begin() {
                counts.withLock { $0 = (0, 0) }
                thread.withLock { $0 = Thread.current }
            }

            func end() { thread.withLock { $0 = nil } }

            /// A handler call that takes 20 µs, like one that forwards the state.
            func note() {
                let isOwn = thread.withLock { $0 === Thread.current }
                counts.withLock { counts in
                    counts.all += 1
                    if isOwn { counts.own += 1 }
                }
                let end = ContinuousClock.now + .microseconds(20)
                while ContinuousClock.now < end {}
            }
        }

        @Test(arguments: Kind.allCases) func `R29 a change of many observed stores is not delivered by its caller alone`(
            _ kind: Kind
        ) async throws {
            let source = Source()
            let counter = Counter()
            let client = TestBench { _ in source.read() }.client
            var subscriptions: [QuerySubscription] = []
            for id in 1...500 {
                let request = Number(id).ttl(.infinity).tagged("all").enabled(false)
                _ = try await client.fetch(request)
                subscriptions.append(client.store(for: request).subscribe(with: QueryEventHandler { _, _ in counter.note() }))
            }
            await client.settled()
            await onThread {
                counter.begin()
                kind.carryOut(client, source)
                counter.end()
            }
            await reaches { counter.all >= 500 }
            // The caller delivers for about one millisecond, which is 50 calls.
            #expect(counter.own < 250)
            for subscription in subscriptions { subscription.cancel() }
        }
    }
}
