import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// A write to a store that is only observed takes a short path. It must always have the same result as the long path.
struct QuietWriteTests {
    /// What the first observer does when it receives the write.
    enum Event: CaseIterable {
        case nothing, write, equalWrite, change, invalidation, changedRegion, look, refetch, subscription, departure, departureOfAll
        case cancellation, reset, session, batch, layer, persistedHandle, secondThread, failure
    }

    private static let region = QueryRegion(source: "quiet")

    /// What the observers receive during three writes, and the final state.
    private static func life(meeting event: Event, observers: Int, isQuiet: Bool) async throws -> [String] {
        // Runs end after the writes, because it would depend on the machine how many end between two of them.
        let gate = Gate()
        let bench = TestBench { call in
            QueryReads.note([region])
            if call.number > 1 { try await gate.pass() }
            return 100 + call.number
        }
        let (client, store) = (bench.client, bench.client.store(for: Number().ttl(.infinity)))
        let received = Recorder<String>()
        _ = try await store.fetch()
        // The written value is as of a later change than the fetched one.
        client.changed([QueryRegion(source: "other")])
        if !isQuiet { store.core.contents.withBasis { basis, _ in _ = basis.needRare() } }
        let subscriptions = Lock<[QuerySubscription]>([])
        let kept = Recorder<any Sendable>()
        let hasActed = SharedFlag()
        func subscribe(_ name: String, _ act: @escaping @Sendable (Int) -> Void) {
            let subscription = store.subscribe(
                with: QueryEventHandler(
                    onStateChanged: { state, _ in
                        let record = state.record
                        received.note(
                            "\(name): \(state.value ?? -1) \(record.flags.rawValue) \(record.valueCount) \(record.revision) \(record.cause)"
                        )
                        act(state.value ?? -1)
                    },
                    onFetchingStarted: { _ in received.note("\(name) started") },
                    onFetchingEnded: { _ in received.note("\(name) ended") },
                    onResultReceived: { result, _ in received.note("\(name) result \((try? result.get()) ?? -1)") }
                )
            )
            subscriptions.withLock { $0.append(subscription) }
        }
        subscribe("first") { value in
            guard value == 1, hasActed.raise() else { return }
            switch event {
            case .nothing: break
            case .write: store.setValue(7)
            case .equalWrite: store.setValue(1)
            case .change: store.updateValue { $0 += 5 }
            case .invalidation: store.invalidate()
            case .changedRegion: client.changed([region])
            case .look: received.note("\(store.value ?? -1) \(store.isStale) \(store.core.subscriberCount)")
            case .refetch: client.refetch("number/*")
            case .subscription: kept.note(store.subscribe(with: .init { state, _ in received.note("late: \(state.value ?? -1)") }))
            case .departure: subscriptions.withLock { $0[0] }.cancel()
            case .departureOfAll: for subscription in subscriptions.withLock({ $0 }) { subscription.cancel() }
            case .cancellation: store.cancel()
            case .reset: store.reset()
            case .session: client.reset(session: "other")
            case .batch:
                client.batch {
                    store.setValue(20)
                    store.setValue(21)
                }
            case .layer: store.core.contents.withBasis { basis, _ in _ = basis.needRare() }
            case .persistedHandle: kept.note(client.store(for: Number().ttl(.infinity).persisted(in: MemoryQueryCache())))
            case .secondThread:
                let isDone = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    store.setValue(8)
                    isDone.signal()
                }
                isDone.wait()
            case .failure: store.setResult(to: .failure(TestError("written")))
            }
        }
        for number in 1..<observers { subscribe("observer \(number)") { _ in } }
        await client.settled()
        for value in 1...3 {
            store.setValue(value)
            if event != .persistedHandle { #expect(client.core.work.count == 0 || store.isFetching) }
        }
        gate.open()
        await client.settled()
        bench.clock.advance(by: .seconds(60))
        await client.settled()
        received.note(
            "left: \(store.value ?? -1) \(store.core.record.revision) \(client.core.work.count) \(store.core.subscriberCount) \(bench.backend.count)"
        )
        for subscription in subscriptions.withLock({ $0 }) { subscription.cancel() }
        await client.settled()
        received.note("idle: \(store.core.contents.withBasis { basis, isBusy in "\(basis.valueNumber) \(basis.asOf.number) \(isBusy)" })")
        return received.all
    }

    @Test(arguments: Event.allCases, [1, 2, 12])
    func `R4 R19 a write on the short path has the same result as on the long path`(_ event: Event, _ observers: Int) async throws {
        let quiet = try await Self.life(meeting: event, observers: observers, isQuiet: true)
        let others = try await Self.life(meeting: event, observers: observers, isQuiet: false)
        #expect(quiet == others)
    }

    @Test func `R19 a write takes the short path only if it has nothing but observers to notify`() async throws {
        let bench = TestBench { $0.number }
        let store = bench.client.store(for: Number().ttl(.infinity))
        func isShort(_ value: Int) -> Bool {
            let present = store.core.contents.withBasis { basis, _ in basis.valueNumber }
            return store.core.writeQuietly(AnyValue(value), 8, at: QueryTimestamp(now: bench.clock), over: present)
        }
        store.setValue(1)
        #expect(!isShort(2), "without an observer")
        let subscription = store.subscribe(with: .init())
        #expect(isShort(3))
        #expect(store.value == 3)
        #expect(!store.core.writeQuietly(AnyValue(4), 8, at: QueryTimestamp(now: bench.clock), over: 0), "made from an older value")
        bench.client.batch { #expect(!isShort(5), "in a batch") }
        #expect(bench.client.core.enter(store.core.ticket, .invalidated(.invalidated(.all), .none)))
        #expect(!isShort(6), "before a change has reached the store")
        #expect(store.value == 3)
        store.setValue(7)
        #expect(isShort(8))
        subscription.cancel()
        #expect(!isShort(9), "without an observer")
    }
}
