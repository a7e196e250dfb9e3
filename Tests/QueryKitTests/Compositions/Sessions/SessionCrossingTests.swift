import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// Actions of a test that run while a named value is decoded, validated or compared.
private enum Interruption {
    private static let actions = Lock<[String: @Sendable () -> Void]>([:])

    static func set(_ name: String, _ action: @escaping @Sendable () -> Void) { actions.withLock { $0[name] = action } }

    static func happen(_ name: String) {
        let action = actions.withLock { $0.removeValue(forKey: name) }
        action?()
    }
}

/// A durable mutation that runs an interruption while its request is decoded or validated.
private struct Delicate: DurableMutationRequest {
    static let journalName = "Delicate"

    let name: String

    init(_ name: String) { self.name = name }

    private enum CodingKeys: CodingKey { case name }

    init(from decoder: any Decoder) throws {
        name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
        Interruption.happen("decode \(name)")
    }

    func validate(in context: QueryContext) throws { Interruption.happen("validate \(name)") }

    func mutate(with amount: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        try await context.accounts.mutate(Change.Step(amount), context)
    }

    func optimistic(with amount: Int, in layers: inout QueryLayers) { layers.update(Number()) { $0 += amount } }
}

/// A value that runs an interruption while it is decoded.
private struct Delivered: Codable, Sendable, Equatable {
    let number: Int

    init(_ number: Int) { self.number = number }

    private enum CodingKeys: CodingKey { case number }

    init(from decoder: any Decoder) throws {
        number = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .number)
        Interruption.happen("decode value")
    }
}

private struct Parcel: QueryRequest {
    static let storedName = "Parcel"

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Delivered>) async throws -> Delivered {
        Delivered(context.session == "a" ? 1 : 2)
    }
}

extension Compositions {
    /// Work that starts just before a logout and reaches its store just after it.
    struct SessionCrossingTests {
        private func bench(_ sessions: Recorder<String> = Recorder()) -> TestBench {
            TestBench { call in
                sessions.note(call.context.session ?? "none")
                return call.context.session == "a" ? 1 : 2
            } adjusting: {
                $0.session = "a"
                $0.ttl = .infinity
            }
        }

        // MARK: Handlers

        @Test func `R29 while a change of all stores is being entered, latestChange already has its number`() {
            let core = TestBench { $0.number }.client.core
            let before = core.latestChange
            let number = core.enterForAll(.renewed(.session)) { #expect(core.latestChange != before) }
            #expect(core.latestChange == number)
        }

        @Test func `R16 a subscriber that ends the session in its first call receives the next session in its context`() async {
            let (received, logOut) = (Recorder<String>(), LogOut())
            let client = bench().client
            let store = client.store(for: Number(1))
            store.setValue(1)
            logOut.arm(client)
            let subscription = store.subscribe(
                with: QueryEventHandler { state, context in
                    received.note("\(context.session ?? "none") \(state.value.map(String.init) ?? "-")")
                    logOut.happen()
                }
            )
            await client.settled()
            #expect(received.all.first == "a 1")
            #expect(received.all.dropFirst().allSatisfy { $0.hasPrefix("b") }, "\(received.all)")
            #expect(received.all.last == "b 2")
            subscription.cancel()
        }

        @Test func `R16 states published before a logout are not received with the next session's context`() async {
            let (received, logOut) = (Recorder<String>(), LogOut())
            let client = bench().client
            let store = client.store(for: Number(1).enabled(false))
            store.setValue(1)
            let first = store.subscribe(
                with: QueryEventHandler { state, _ in
                    guard state.value == 5 else { return }
                    store.setValue(6)
                    logOut.happen()
                }
            )
            let second = store.subscribe(
                with: QueryEventHandler { state, context in
                    received.note("\(context.session ?? "none") \(state.value.map(String.init) ?? "-")")
                }
            )
            logOut.arm(client)
            store.setValue(5)
            await client.settled()
            #expect(!received.all.contains("b 5") && !received.all.contains("b 6"), "\(received.all)")
            first.cancel()
            second.cancel()
        }

        @Test func `R16 a request's handler does not receive the previous user's value with the next session's context`() async {
            let (received, logOut) = (Recorder<String>(), LogOut())
            let client = bench().client
            let store = client.store(for: Number(1).enabled(false))
            let loud = client.store(
                for: Number(1).onEvent(
                    QueryEventHandler { state, context in
                        received.note("\(context.session ?? "none") \(state.value.map(String.init) ?? "-")")
                    }
                )
            )
            let first = store.subscribe(with: QueryEventHandler { state, _ in if state.value == 5 { logOut.happen() } })
            logOut.arm(client)
            loud.setValue(5)
            await client.settled()
            #expect(!received.all.contains("b 5"), "\(received.all)")
            first.cancel()
        }

        // MARK: Batches

        @Test func `R29 R28 a value written in a batch before a logout is not cached for the next user`() async throws {
            let cache = MemoryQueryCache()
            let client = bench().client
            let request = Number(1).enabled(false).persisted(in: cache)
            let store = client.store(for: request)
            client.batch {
                store.setValue(1)
                client.reset(session: "b")
            }
            await client.settled()
            #expect(store.value == nil)
            let next = TestBench(adjusting: { $0.session = "b" })
            let shown = Recorder<String>()
            let subscription = next.client.store(for: Number(1).ttl(.infinity).persisted(in: cache)).record(shown)
            await next.client.settled()
            #expect(next.backend.count == 1, "\(shown.all)")
            subscription.cancel()
        }

        @Test func `R29 a value written in a batch before a logout is not passed to the next user's handlers`() async throws {
            let received = Recorder<String>()
            let client = bench().client
            let store = client.store(for: Number(1).enabled(false))
            let subscription = store.subscribe(
                with: QueryEventHandler(onResultReceived: { result, context in
                    received.note("\(context.session ?? "none") \((try? result.get()) ?? -1)")
                })
            )
            client.batch {
                store.setValue(1)
                client.reset(session: "b")
            }
            await client.settled()
            #expect(!received.all.contains("b 1"), "\(received.all)")
            subscription.cancel()
        }

        // MARK: Caches

        @Test func `R28 a value whose handler ends the session is cached for its own user`() async throws {
            let (cache, logOut) = (MemoryQueryCache(), LogOut())
            let client = bench().client
            let store = client.store(for: Number(1).enabled(false).persisted(in: cache))
            let subscription = store.subscribe(with: QueryEventHandler { state, _ in if state.value == 7 { logOut.happen() } })
            store.setValue(5)
            logOut.arm(client)
            store.setValue(7)
            await client.settled()
            client.reset(session: "a")
            #expect(try await client.fetch(Number(1).persisted(in: cache)) == 7)
            subscription.cancel()
        }

        @Test func `R28 a store reset just before a logout removes its user's value from the cache`() async throws {
            let (cache, logOut) = (MemoryQueryCache(), LogOut())
            let client = bench().client
            let store = client.store(for: Number(1).enabled(false).persisted(in: cache))
            store.setValue(5)
            await client.settled()
            let subscription = store.subscribe(with: QueryEventHandler { state, _ in if state.value == nil { logOut.happen() } })
            logOut.arm(client)
            store.reset()
            await client.settled()
            client.reset(session: "a")
            #expect(try await client.fetch(Number(1).persisted(in: cache)) == 1)
            subscription.cancel()
        }

        @Test func `R28 a store invalidated just before a logout is stale when its user returns`() async throws {
            let (cache, logOut) = (MemoryQueryCache(), LogOut())
            let client = bench().client
            let store = client.store(for: Number(1).enabled(false).persisted(in: cache))
            store.setValue(5)
            await client.settled()
            let subscription = store.subscribe(with: QueryEventHandler { state, _ in if state.isInvalidated { logOut.happen() } })
            logOut.arm(client)
            store.invalidate()
            await client.settled()
            client.reset(session: "a")
            #expect(try await client.fetch(Number(1).persisted(in: cache)) == 1)
            subscription.cancel()
        }

        @Test func `R28 a cached value keeps its own regions even if the next user's value read others`()
            async throws
        {
            let (cache, source, logOut, valve) = (MemoryQueryCache(), Source(), LogOut(), Valve())
            let client = TestBench { call in
                guard call.context.session == "a" else { return 2 }
                return source.read() + call.number
            } adjusting: {
                $0.session = "a"
                $0.ttl = .infinity
            }.client
            let request = Number(1).persisted(in: cache)
            logOut.arm(client)
            let store = client.store(for: request)
            async let subscribed = onThread {
                store.subscribe(with: QueryEventHandler { state, _ in if state.value == 1, logOut.happen() { valve.wait() } })
            }
            await reaches { valve.arrivals == 1 && store.value == 2 && !store.isFetching }
            valve.open()
            // The thread that subscribes may be the one that the valve held.
            let subscription = await subscribed
            await client.settled()
            subscription.cancel()
            client.reset(session: "a")
            #expect(try await client.fetch(request) == 3)
        }

        @Test func `R28 an archived value that waits for its user stays in the archive while another user has a value`() async throws {
            let client = bench().client
            let request = Parcel().ttl(.infinity).archived()
            client.setValue(Delivered(5), for: request)
            let archive = try await client.dehydrate()
            let next = bench().client
            await next.hydrate(from: archive)
            Interruption.set("decode value") {
                next.reset(session: "b")
                next.setValue(Delivered(9), for: request)
            }
            _ = next.store(for: request)
            #expect(next.value(for: request) == Delivered(9))
            next.reset(session: "a")
            _ = next.store(for: request)
            #expect(next.value(for: request) == Delivered(5))
        }

        @Test func `R29 an archive respects an invalidation that has not reached every store yet`() async throws {
            let client = bench().client
            let valve = Valve()
            let slow = client.store(for: Number(0).enabled(false))
            slow.setValue(0)
            client.setValue(1, for: Number(1).archived())
            let subscription = slow.subscribe(with: QueryEventHandler { state, _ in if state.isInvalidated { valve.wait() } })
            async let change: Void = onThread { client.invalidate(.all) }
            await reaches { valve.arrivals == 1 }
            let archive = try await client.dehydrate(matching: ["number", 1])
            valve.open()
            await change
            #expect(archive.entries.map(\.value.isInvalidated) == [true])
            subscription.cancel()
        }

        @Test func `R29 an archive respects a clear that has not reached every store yet`() async throws {
            let client = bench().client
            let valve = Valve()
            let slow = client.store(for: Number(0).enabled(false))
            slow.setValue(0)
            client.setValue(1, for: Number(1).archived())
            let subscription = slow.subscribe(with: QueryEventHandler { state, _ in if state.value == nil { valve.wait() } })
            async let change: Void = onThread { client.clear() }
            await reaches { valve.arrivals == 1 }
            let archive = try await client.dehydrate(matching: ["number", 1])
            valve.open()
            await change
            #expect(archive.count == 0)
            subscription.cancel()
        }

        // MARK: Conditions

        /// A request for signed-in users only. The session ends when its condition is first evaluated after the logout was armed.
        private func whileLoggedIn(_ logOut: LogOut) -> some QueryRequest<Int, Number.State> {
            Number(1).enabled { context in
                logOut.happen()
                return context.session != nil
            }
        }

        @Test func `R30 a refetch overtaken by a logout runs only if the request is enabled in the next session`() async throws {
            let (sessions, logOut) = (Recorder<String>(), LogOut(to: nil))
            let client = bench(sessions).client
            let store = client.store(for: whileLoggedIn(logOut))
            logOut.arm(client)
            store.refetch()
            await client.settled()
            #expect(sessions.all == [])
        }

        @Test func `R30 a subscription overtaken by a logout fetches only if the request is enabled in the next session`() async throws {
            let (sessions, logOut) = (Recorder<String>(), LogOut(to: nil))
            let client = bench(sessions).client
            let store = client.store(for: whileLoggedIn(logOut))
            logOut.arm(client)
            let subscription = store.subscribe(with: QueryEventHandler { _, _ in })
            await client.settled()
            #expect(sessions.all == [])
            subscription.cancel()
        }

        @Test func `R30 a reset overtaken by a logout causes a run only if the request is enabled in the next session`() async throws {
            let (sessions, logOut) = (Recorder<String>(), LogOut(to: nil))
            let client = bench(sessions).client
            let store = client.store(for: whileLoggedIn(logOut))
            let subscription = store.subscribe(with: QueryEventHandler { _, _ in })
            await client.settled()
            logOut.arm(client)
            store.reset()
            await client.settled()
            #expect(sessions.all == ["a"])
            subscription.cancel()
        }

        @Test func `R30 conditions reconsidered while the session ends are evaluated for the next session`() async throws {
            let (sessions, logOut) = (Recorder<String>(), LogOut(to: nil))
            let isOpen = Lock(false)
            let client = bench(sessions).client
            let store = client.store(
                for: Number(1).enabled { context in
                    logOut.happen()
                    return isOpen.withLock { $0 } && context.session != nil
                }
            )
            let subscription = store.subscribe(with: QueryEventHandler { _, _ in })
            isOpen.withLock { $0 = true }
            logOut.arm(client)
            client.reconsider()
            await client.settled()
            #expect(sessions.all == [])
            subscription.cancel()
        }

        @Test func `R30 a trigger overtaken by a logout causes a run only if the request is enabled in the next session`() async throws {
            let (sessions, logOut, bell) = (Recorder<String>(), LogOut(to: nil), Bell())
            let client = bench(sessions).client
            let store = client.store(for: whileLoggedIn(logOut).ttl(.zero).refetch(on: bell.trigger))
            let subscription = store.subscribe(with: QueryEventHandler { _, _ in })
            await client.settled()
            logOut.arm(client)
            bell.ring()
            await client.settled()
            #expect(sessions.all == ["a"])
            subscription.cancel()
        }

        @Test func `R30 a write overtaken by a logout causes a run only if the request is enabled in the next session`() async throws {
            let (sessions, logOut) = (Recorder<String>(), LogOut(to: nil))
            let client = bench(sessions).client
            let store = client.store(for: whileLoggedIn(logOut))
            let subscription = store.subscribe(with: QueryEventHandler { _, _ in })
            await client.settled()
            logOut.arm(client)
            store.setValue(3)
            await client.settled()
            #expect(sessions.all == ["a"])
            subscription.cancel()
        }

        // MARK: Mutations

        @Test func `R24 a journal entry decoded while its session ends is not executed for the next user`() async throws {
            let journal = MemoryMutationJournal()
            let name = "resume"
            let former = MutationBench(journal: journal, session: "a", isOnline: false)
            try former.client.store(for: Delicate(name)).submit(5)
            await former.client.settled()
            #expect(try await journal.entries().count == 1)
            former.client.reset(session: nil)
            await former.client.settled()

            let next = MutationBench(journal: journal, session: "a")
            let client = next.client
            Interruption.set("decode \(name)") { client.reset(session: "b") }
            let (resumed, aside) = try await client.resumeMutations(of: [Delicate.self])
            await client.settled()
            #expect(next.accounts.calls.isEmpty)
            #expect(resumed.isEmpty && aside.isEmpty)
            #expect(try await journal.entries().map(\.session) == ["a"])
            #expect(client.store(for: Delicate(name)).history.isEmpty)
        }

        @Test func `R22 a call validated while its session ends is not in the next session's history`() async throws {
            let bench = MutationBench(session: "a")
            let client = bench.client
            let store = client.store(for: Delicate("validate"))
            Interruption.set("validate validate") { client.reset(session: "b") }
            _ = try? store.submit(5)
            await client.settled()
            #expect(bench.accounts.calls.isEmpty)
            #expect(store.history.isEmpty, "\(store.history)")
        }

        // MARK: Pages

        @Test func `R25 fetching a page while the session ends returns that page`() async throws {
            let library = Library(5)
            let logOut = LogOut()
            let client = TestBench(adjusting: {
                $0.session = "a"
                $0.library = library
            }).client
            let store = client.store(
                for: Shelf().ttl { _ in
                    logOut.happen()
                    return .zero
                }
            )
            _ = try await store.fetch()
            _ = library.take()
            logOut.arm(client)
            let pages = try await store.fetchPage(2)
            #expect(library.take() == [2])
            #expect(pages.map(\.id) == [2])
        }

        @Test func `R29 R25 fetching the next page of a list emptied by a logout fetches its first page`() async throws {
            let library = Library(1)
            library.set(1, [10])
            let client = TestBench(adjusting: {
                $0.session = "a"
                $0.library = library
            }).client
            let valve = Valve()
            let slow = client.store(for: Number(0).enabled(false))
            slow.setValue(0)
            let store = client.store(for: Shelf())
            _ = try await store.fetch()
            let subscription = slow.subscribe(with: QueryEventHandler { state, _ in if state.value == nil { valve.wait() } })
            library.set(1, [20])
            async let change: Void = onThread { client.reset(session: "b") }
            await reaches { valve.arrivals == 1 }
            let pages = try await store.fetchNextPage()
            valve.open()
            await change
            #expect(pages.map(\.value) == [[20]])
            subscription.cancel()
        }

        // MARK: Values

        @Test func `R16 a fresh value judged while the session ends is not returned in the next session`() async throws {
            let (sessions, logOut) = (Recorder<String>(), LogOut())
            let client = bench(sessions).client
            let request = Number(1).ttl { (_: Int) in
                logOut.happen()
                return .infinity
            }
            _ = try await client.fetch(request)
            logOut.arm(client)
            #expect(try await client.fetch(request) == 2)
        }
    }
}
