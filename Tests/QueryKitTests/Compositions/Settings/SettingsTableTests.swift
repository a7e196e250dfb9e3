import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

extension Compositions {
    /// The table of settings in Documentation/Internals.md, row by row: whose setting applies, what changes with a second observer with
    /// another setting, and what remains after that observer has left. The row of the runs is in ``RunSettingsTableTests``.
    struct SettingsTableTests {
        private let bench = TestBench()
        private var client: QueryClient { bench.client }

        // MARK: Settings of a handle, observer or caller

        @Test func `R30 table: ttl belongs to the handle, the caller and an observer's trigger`() async throws {
            let bell = Bell()
            let patient = client.store(for: Number().ttl(.seconds(60)).refetch(on: bell.trigger))
            let hasty = client.store(for: Number().ttl(.seconds(5)).refetch(on: bell.trigger))
            let first = patient.record(Recorder())
            await client.settled()
            let second = hasty.record(Recorder())
            bench.clock.advance(by: .seconds(10))
            #expect([patient.isStale, hasty.isStale, client.store(for: Number()).isStale] == [false, true, true])
            #expect(try await client.fetch(Number().ttl(.seconds(60))) == 1)
            await ring(bell, expecting: 2)
            bench.clock.advance(by: .seconds(10))
            #expect(try await client.fetch(Number().ttl(.seconds(5))) == 3)
            second.cancel()
            bench.clock.advance(by: .seconds(10))
            #expect([patient.isStale, hasty.isStale] == [false, true])
            await ring(bell, expecting: 3)
            first.cancel()
        }

        @Test func `R30 table: triggers belong to their observer`() async {
            let bells = [Bell("one"), Bell("two")]
            let first = client.store(for: Number().refetch(on: bells[0].trigger)).record(Recorder())
            await client.settled()
            let second = client.store(for: Number().ttl(.seconds(5)).refetch(on: bells[1].trigger)).record(Recorder())
            await ring(bells[0], expecting: 2)
            bench.clock.advance(by: .seconds(10))
            await ring(bells[1], expecting: 3)
            second.cancel()
            bench.clock.advance(by: .seconds(10))
            await ring(bells[1], expecting: 3)
            await ring(bells[0], expecting: 4)
            first.cancel()
        }

        @Test func `R30 table: a placeholder is shown by its handle and observer`() async throws {
            let (plain, seen) = (Recorder<String>(), Recorder<String>())
            let first = client.store(for: Number().enabled(false)).record(plain)
            let second = client.store(for: Number().enabled(false).placeholder(7)).record(seen)
            #expect(client.store(for: Number()).value == nil)
            #expect(client.store(for: Number().placeholder(8)).value == 8)
            _ = try await client.fetch(Number().placeholder(9))
            #expect(plain.all == ["idle", "loading", "1"])
            #expect(seen.all == ["idle shows 7", "loading shows 7", "1"])
            second.cancel()
            client.reset("number/*")
            await client.settled()
            #expect(plain.last == "idle")
            #expect(client.store(for: Number().placeholder(8)).value == 8)
            first.cancel()
        }

        @Test func `R30 table: the previous value is shown by the handle and observer that keep it`() async throws {
            let (plain, seen) = (Recorder<String>(), Recorder<String>())
            _ = try await client.fetch(Number(1).keepingPrevious())
            let first = client.store(for: Number(2).enabled(false)).record(plain)
            let second = client.store(for: Number(2).enabled(false).keepingPrevious()).record(seen)
            #expect(client.store(for: Number(2)).value == nil)
            _ = try await client.fetch(Number(2))
            #expect(plain.all == ["idle", "loading", "2"])
            #expect(seen.all == ["idle shows 1", "loading shows 1", "2"])
            for subscription in [first, second] { subscription.cancel() }
        }

        @Test func `R30 table: equal values are received by the observer with notifyEqual`() {
            let (plain, loud) = (Recorder<String>(), Recorder<String>())
            let first = client.store(for: Number().enabled(false)).record(plain)
            let second = client.store(for: Number().enabled(false).notifyEqual()).record(loud)
            for _ in 1...2 { client.setValue(1, for: Number()) }
            second.cancel()
            client.setValue(1, for: Number())
            #expect(plain.all == ["idle", "1"])
            #expect(loud.all == ["idle", "1", "1"])
            first.cancel()
        }

        // MARK: Settings while their owner exists

        @Test func `R30 table: onEvent is called while its handle, observer or caller exists`() async throws {
            let received = Recorder<String>()
            func request(_ name: String) -> some QueryRequest<Int, Number.State> {
                Number().onEvent(QueryEventHandler(onResultReceived: { _, _ in received.note(name) }))
            }
            func write(expecting names: Set<String>, at location: SourceLocation = #_sourceLocation) {
                client.updateValue(for: Number()) { $0 += 1 }
                #expect(Set(received.take()) == names, sourceLocation: location)
            }
            var handle: QueryStore<Number.State>? = client.store(for: request("handle"))
            handle?.setValue(0)
            let observer = client.store(for: request("observer").enabled(false)).record(Recorder())
            _ = received.take()
            write(expecting: ["handle", "observer"])
            _ = try await client.fetch(request("caller"))
            #expect(Set(received.take()) == ["handle", "observer", "caller"])
            write(expecting: ["handle", "observer", "caller"])
            _ = try await client.fetch(Number())
            _ = received.take()
            write(expecting: ["handle", "observer"])
            observer.cancel()
            write(expecting: ["handle"])
            withExtendedLifetime(handle) {}
            handle = nil
            write(expecting: [])
        }

        // MARK: Combined while observed

        @Test func `R30 table: one enabled observer is enough, and no setting means enabled`() async {
            let off = client.store(for: Number().enabled(false)).record(Recorder())
            await invalidate(.all, expecting: 0)
            let on = client.store(for: Number().enabled(true)).record(Recorder())
            await invalidate(.all, expecting: 2)
            on.cancel()
            await invalidate(.all, expecting: 2)
            let silent = client.store(for: Number()).record(Recorder())
            await invalidate(.all, expecting: 4)
            silent.cancel()
            await invalidate(.all, expecting: 4)
            off.cancel()
        }

        @Test func `R30 table: without observers the last caller decides whether the request is enabled`() async throws {
            let observer = client.store(for: Number().enabled(false)).record(Recorder())
            _ = try await client.fetch(Number())
            await invalidate(.all, expecting: 1)
            observer.cancel()
            await invalidate(.all, expecting: 2)
            _ = try await client.fetch(Number().enabled(false))
            await invalidate(.all, expecting: 3)
        }

        @Test func `R30 table: the shortest polling interval of the observers applies`() async {
            let slow = client.store(for: Number().polling(every: .seconds(60))).record(Recorder())
            await client.settled()
            let fast = client.store(for: Number().ttl(.seconds(5)).polling(every: .seconds(10))).record(Recorder())
            await pass(.seconds(10), expecting: 2)
            await pass(.seconds(10), expecting: 3)
            fast.cancel()
            // Polling fires at each multiple of its interval.
            await pass(.seconds(39), expecting: 3)
            await pass(.seconds(1), expecting: 4)
            slow.cancel()
            await pass(.seconds(60), expecting: 4)
        }

        // MARK: Remembered until the store is released

        @Test func `R30 table: all tags mentioned so far apply until the store is released`() async throws {
            _ = client.store(for: Number().tagged("handle"))
            client.store(for: Number().enabled(false).tagged("observer")).record(Recorder()).cancel()
            _ = try await client.fetch(Number().tagged("caller"))
            for tag: QueryTag in ["handle", "observer", "caller"] {
                client.setValue(1, for: Number())
                client.invalidate(tags: [tag])
                #expect(isInvalidated, "\(tag)")
            }
            await release()
            client.setValue(1, for: Number())
            client.invalidate(tags: ["handle", "observer", "caller"])
            #expect(!isInvalidated)
        }

        @Test func `R30 table: all caches mentioned so far are used until the store is released`() async throws {
            let caches = (1...3).map { _ in MemoryQueryCache(clock: ManualClock()) }
            _ = client.store(for: Number().persisted(in: caches[0]))
            client.store(for: Number().enabled(false).persisted(in: caches[1])).record(Recorder()).cancel()
            _ = try await client.fetch(Number().persisted(in: caches[2]))
            await expect(caches, toHold: 1)
            _ = try await client.fetch(Number())
            await expect(caches, toHold: 2)
            await release()
            client.setValue(9, for: Number())
            await client.settled()
            await expect(caches, toHold: 2)
        }

        @Test func `R30 table: computed tags of the latest request are kept, others while their owner exists`() async throws {
            func request(_ name: String) -> some QueryRequest<Int, Number.State> {
                Number().enabled(false).tagged { _ in [QueryTag(name)] }
            }
            func check(_ name: String, _ isReached: Bool) {
                client.setValue(1, for: Number())
                client.invalidate(tags: [QueryTag(name)])
                #expect(isInvalidated == isReached, "\(name)")
            }
            var handle: QueryStore<Number.State>? = client.store(for: request("handle"))
            var observer: QuerySubscription? = client.store(for: request("observer")).record(Recorder())
            _ = try await client.fetch(request("caller"))
            _ = client.store(for: request("latest"))
            for name in ["handle", "observer", "caller", "latest"] { check(name, true) }
            _ = try await client.fetch(Number())
            check("caller", false)
            withExtendedLifetime(observer) {}
            observer = nil
            check("observer", false)
            check("handle", true)
            withExtendedLifetime(handle) {}
            handle = nil
            check("handle", false)
            check("latest", true)
            await release()
            check("latest", false)
        }

        @Test func `R30 table: the longest retention mentioned in a period of observation applies after it`() async {
            let first = client.store(for: Number().keep(for: .seconds(10))).record(Recorder())
            client.store(for: Number().keep(for: .seconds(600))).record(Recorder()).cancel()
            await client.settled()
            first.cancel()
            bench.clock.advance(by: .seconds(599))
            #expect(client.storeCount == 1)
            client.store(for: Number().enabled(false).keep(for: .seconds(10))).record(Recorder()).cancel()
            bench.clock.advance(by: .seconds(9))
            #expect(client.storeCount == 1)
            bench.clock.advance(by: .seconds(1))
            #expect(client.storeCount == 0)
        }

        @Test func `R30 table: the client's retention applies only if no request set one`() async {
            client.store(for: Number()).record(Recorder()).cancel()
            client.setValue(1, for: Number())
            bench.clock.advance(by: .seconds(299))
            #expect(client.storeCount == 1)
            _ = client.store(for: Number().keep(for: .seconds(5)))
            client.setValue(2, for: Number())
            bench.clock.advance(by: .seconds(5))
            #expect(client.storeCount == 0)
        }

        // MARK: Steps

        /// Whether the value is marked as invalidated, not only aged.
        private var isInvalidated: Bool { client.store(for: Number()).isInvalidated }

        /// Lets the client release the store: it is unused, its retention is over, and the task of its last run has ended.
        private func release(at location: SourceLocation = #_sourceLocation) async {
            bench.clock.advance(by: .seconds(301))
            #expect(await reaches { client.core.find(Number().identity) == nil }, sourceLocation: location)
        }

        private func ring(_ bell: Bell, expecting count: Int, at location: SourceLocation = #_sourceLocation) async {
            bell.ring()
            await client.settled()
            #expect(bench.backend.count == count, sourceLocation: location)
        }

        private func pass(_ time: Duration, expecting count: Int, at location: SourceLocation = #_sourceLocation) async {
            bench.clock.advance(by: time)
            await client.settled()
            #expect(bench.backend.count == count, sourceLocation: location)
        }

        private func invalidate(_ refetch: QueryRefetch, expecting count: Int, at location: SourceLocation = #_sourceLocation) async {
            await client.settled()
            client.invalidate("number/*", refetch: refetch)
            await client.settled()
            #expect(bench.backend.count == count, sourceLocation: location)
        }

        private func expect(_ caches: [MemoryQueryCache], toHold value: Int, at location: SourceLocation = #_sourceLocation) async {
            await client.settled()
            for cache in caches {
                let next = TestBench { _ in 0 }
                let held = try? await next.client.fetch(Number().ttl(.infinity).persisted(in: cache))
                #expect(held == value, sourceLocation: location)
            }
        }
    }
}
