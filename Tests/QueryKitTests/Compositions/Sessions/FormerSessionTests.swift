import QueryKit
import QueryKitTesting
import TestSupport
import Testing

/// A mutation that lets the test act while its layers are declared.
private struct Interrupted: MutationRequest {
    let during: @Sendable () -> Void

    static func == (left: Interrupted, right: Interrupted) -> Bool { true }
    func hash(into hasher: inout Hasher) {}

    func mutate(with amount: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { amount }

    func optimistic(with amount: Int, in layers: inout QueryLayers) {
        layers.update(Number(1)) { $0 += amount }
        during()
    }
}

/// Runs a closure while the request is set up.
private struct Sluggish: QueryModifier {
    let during: @Sendable () -> Void

    func setup(context: inout QueryContext, using request: Number) { during() }
}

extension Compositions {
    /// A context, call or layer from before a logout has no effect in the next session.
    struct FormerSessionTests {
        /// Records the session of each fetch; the value tells whether it was fetched for session "a".
        private func bench(_ sessions: Recorder<String>) -> TestBench {
            let bench = TestBench { call in
                sessions.note(call.context.session ?? "none")
                return call.context.session == "a" ? 1 : 2
            } adjusting: {
                $0.session = "a"
                $0.ttl = .infinity
            }
            return bench
        }

        @Test func `R16 fetching with a context of the previous session throws and fetches nothing`() async throws {
            let sessions = Recorder<String>()
            let client = bench(sessions).client
            let store = client.store(for: Number(1))
            _ = try await store.fetch()
            let kept = store.context
            client.reset(session: "b")
            let result = await Task { try await store.fetch(using: kept) }.result
            await client.settled()
            #expect(throws: (any Error).self) { try result.get() }
            #expect(store.value != 1)
            #expect(sessions.all == ["a"])
        }

        @Test func `R16 a fetch task with a context of the previous session fetches nothing in the next one`() async throws {
            let sessions = Recorder<String>()
            let client = bench(sessions).client
            let store = client.store(for: Number(1))
            let task = store.fetchTask(using: store.context)
            client.reset(session: "b")
            _ = try? await task.value
            await client.settled()
            #expect(client.value(for: Number(1)) != 1)
            #expect(sessions.all == [])
        }

        // MARK: Settings from before the session ended

        @Test(arguments: [true, false], [true, false])
        func `R16 a fetch overtaken by a logout runs for the next user`(takesFresh: Bool, isDeduplicated: Bool) async throws {
            let (sessions, logOut) = (Recorder<String>(), LogOut())
            let client = bench(sessions).client
            // The closure is called just before the store is fetched.
            let request = Number(1).deduplicated(isDeduplicated).ttl { (_: Int) in
                logOut.happen()
                return .zero
            }
            let store = client.store(for: request)
            _ = try await store.fetch()
            logOut.arm(client)
            let value = takesFresh ? try await client.fetch(request) : try await store.fetch()
            #expect(value == 2)
            await client.settled()
            #expect(store.value == 2)
            #expect(sessions.all == ["a", "b"])
        }

        @Test func `R16 a subscription overtaken by a logout receives states and fetches for the next user`() async {
            let (sessions, received, logOut) = (Recorder<String>(), Recorder<String>(), LogOut())
            let client = bench(sessions).client
            let request = Number(1).enabled { _ in
                logOut.happen()
                return true
            }
            let store = client.store(for: request)
            logOut.arm(client)
            let subscription = store.subscribe(with: QueryEventHandler { _, context in received.note(context.session ?? "none") })
            await client.settled()
            #expect(sessions.all == ["b"])
            #expect(Set(received.all) == ["b"])
            #expect(store.value == 2)
            subscription.cancel()
        }

        @Test func `R16 a condition is evaluated again for the next user`() async {
            let (sessions, logOut) = (Recorder<String>(), LogOut())
            let client = bench(sessions).client
            let store = client.store(
                for: Number(1).enabled { context in
                    let isIn = context.session == "a"
                    logOut.happen()
                    return isIn
                }
            )
            logOut.arm(client)
            let subscription = store.record(Recorder())
            await client.settled()
            #expect(sessions.all == [])
            subscription.cancel()
        }

        @Test func `R16 a request being set up while the session ends runs for the next user`() async throws {
            let (sessions, logOut) = (Recorder<String>(), LogOut())
            let client = bench(sessions).client
            _ = try await client.fetch(Number(1).ttl(.zero))
            logOut.arm(client)
            let value = try await client.fetch(Number(1).modifier(Sluggish { logOut.happen() }))
            #expect(value == 2)
            #expect(sessions.all == ["a", "b"])
        }

        // MARK: Slow handlers

        /// Records each state with the session of its context, and waits at a valve when it receives the given value.
        private func handler(_ received: Recorder<String>, at valve: Valve, on value: Int?) -> QueryEventHandler<Number.State> {
            QueryEventHandler { state, context in
                received.note("\(state.value.map { "\($0)" } ?? "nothing") in \(context.session ?? "none")")
                if state.value == value { valve.wait() }
            }
        }

        @Test(arguments: [true, false])
        func `R16 a slow handler receives late states with the context of their session`(isObserver: Bool) async {
            let (received, valve) = (Recorder<String>(), Valve())
            let client = bench(Recorder()).client
            let slow = handler(received, at: valve, on: 1)
            let request = Number(1).enabled(false)
            let store = isObserver ? client.store(for: request) : nil
            let loud = isObserver ? nil : client.store(for: request.onEvent(slow))
            let subscription = store?.subscribe(with: slow)
            async let writing: Void = onThread { client.setValue(1, for: Number(1)) }
            await reaches { valve.arrivals == 1 }
            client.setValue(2, for: Number(1))
            client.reset(session: "b")
            client.setValue(3, for: Number(1))
            valve.open()
            await writing
            await client.settled()
            #expect(received.all.contains("3 in b"))
            #expect(!received.all.contains("1 in b") && !received.all.contains("2 in b") && !received.all.contains("3 in a"))
            withExtendedLifetime(loud) {}
            subscription?.cancel()
        }

        @Test func `R16 states published while a subscription begins are received with the context of their session`() async {
            let (received, valve) = (Recorder<String>(), Valve())
            let client = bench(Recorder()).client
            let store = client.store(for: Number(1).enabled(false))
            store.setValue(1)
            let slow = handler(received, at: valve, on: 1)
            async let joining = onThread { store.subscribe(with: slow) }
            await reaches { valve.arrivals == 1 }
            client.setValue(2, for: Number(1))
            client.reset(session: "b")
            client.setValue(3, for: Number(1))
            valve.open()
            let subscription = await joining
            await client.settled()
            #expect(received.all.contains("3 in b"))
            #expect(!received.all.contains("1 in b") && !received.all.contains("2 in b") && !received.all.contains("3 in a"))
            subscription.cancel()
        }

        // MARK: Mutations

        @Test func `R22 a call with a context of the previous session throws and lays no layers`() async throws {
            let bench = MutationBench(session: "a")
            let kept = bench.changes.context
            bench.client.reset(session: "b")
            bench.client.setValue(1, for: Number(1))
            let shown = Recorder<String>()
            let subscription = bench.client.store(for: Number(1).enabled(false)).record(shown)
            let result = Result { try bench.changes.submit(Change.Step(5), using: kept) }
            await bench.client.settled()
            #expect(throws: (any Error).self) { try result.get() }
            #expect(shown.all == ["1"])
            #expect(bench.accounts.calls.isEmpty)
            subscription.cancel()
        }

        @Test func `R22 a call whose layers are declared while the session ends lays none in the next session`() async throws {
            let client = TestBench(adjusting: { $0.session = "a" }).client
            client.setValue(1, for: Number(1))
            let shown = Recorder<Int?>()
            let subscription = client.store(for: Number(1).enabled(false)).subscribe(
                with: QueryEventHandler { state, context in if context.session == "b" { shown.note(state.value) } }
            )
            _ = try? client.store(
                for: Interrupted {
                    client.reset(session: "b")
                    client.setValue(50, for: Number(1))
                }
            ).submit(5)
            await client.settled()
            #expect(!shown.all.contains(55))
            subscription.cancel()
        }

        @Test func `R22 a call can be cancelled by a handler that receives its layer`() async throws {
            let bench = MutationBench()
            bench.client.setValue(1, for: Number(1))
            let subscription = bench.client.store(for: Number(1).enabled(false)).subscribe(
                with: QueryEventHandler { state, context in if state.isOptimistic { context.queryClient?.cancelMutations() } }
            )
            try bench.changes.submit(Change.Step(5))
            await bench.client.settled()
            #expect(bench.accounts.calls.isEmpty)
            #expect(bench.changes.history.map(\.isCancelled) == [true])
            #expect(bench.client.store(for: Number(1)).value == 1)
            subscription.cancel()
        }

        @Test func `R33 a group never shows values of two sessions together`() async throws {
            let bench = TestBench { call in
                call.context.session == "a" ? call.id : call.id * 100
            } adjusting: {
                $0.session = "a"
                $0.ttl = .infinity
            }
            let group = bench.client.group([Number(1), Number(2), Number(3)])
            let seen = Recorder<[Int?]>()
            let subscription = group.subscribe { seen.note($0.map(\.value)) }
            await bench.client.settled()
            #expect(seen.last == [1, 2, 3])
            _ = seen.take()
            bench.client.reset(session: "b")
            await bench.client.settled()
            #expect(seen.last == [100, 200, 300])
            #expect(seen.all.allSatisfy { values in values.allSatisfy { $0 == nil || $0! >= 100 } }, "\(seen.all)")
            subscription.cancel()
        }

        @Test func `R16 a value written in the next session while the last one is ending is kept`() {
            let client = bench(Recorder()).client
            let first = client.store(for: Number(1).enabled(false))
            first.setValue(1)
            client.setValue(2, for: Number(2))
            let subscription = first.subscribe(
                with: QueryEventHandler { _, context in
                    if context.session == "b" { context.queryClient?.setValue(20, for: Number(2)) }
                }
            )
            client.reset(session: "b")
            #expect(client.value(for: Number(2)) == 20)
            #expect(client.value(for: Number(1)) == nil)
            subscription.cancel()
        }

        @Test func `R33 a group never shows a failure of the previous session next to a value of the next one`() async {
            let bench = TestBench { call in
                if call.context.session == "a", call.id == 3 { throw TestError() }
                return call.id
            } adjusting: {
                $0.session = "a"
                $0.ttl = .infinity
            }
            let group = bench.client.group((1...3).map { Number($0).retry(limit: 0) })
            let seen = Recorder<Int>()
            let subscription = group.subscribe { seen.note($0.count { $0.error != nil }) }
            await bench.client.settled()
            #expect(seen.last == 1)
            _ = seen.take()
            bench.client.reset(session: "b")
            await bench.client.settled()
            #expect(seen.count > 0 && seen.all.allSatisfy { $0 == 0 }, "\(seen.all)")
            subscription.cancel()
        }

        @Test func `R33 a group continues in the next session, even if some of its stores have nothing to show`() async {
            // Values are ids, because it is undefined which of two runs fetches first.
            let bench = TestBench({ $0.id }, adjusting: { $0.session = "a" })
            let group = bench.client.group([Number(1).enabled { $0.session == "b" }, Number(2).enabled { $0.session == "b" }])
            let idle = bench.client.group([Number(3).enabled(false), Number(4).enabled(false)])
            let (seen, seenIdle) = (Recorder<[Int?]>(), Recorder<[Int?]>())
            let subscriptions = [group.subscribe { seen.note($0.map(\.value)) }, idle.subscribe { seenIdle.note($0.map(\.value)) }]
            bench.client.reset(session: "b")
            await bench.client.settled()
            #expect(seen.last == [1, 2])
            _ = seenIdle.take()
            bench.client.setValue(7, for: Number(4))
            #expect(seenIdle.all == [[nil, 7]])
            for subscription in subscriptions { subscription.cancel() }
        }

        @Test func `R16 a previous value shown as a placeholder disappears when the next session begins`() async throws {
            let client = bench(Recorder()).client
            _ = try await client.fetch(Number(1).keepingPrevious())
            let seen = Recorder<Int?>()
            let store = client.store(for: Number(2).keepingPrevious().enabled(false))
            let subscription = store.subscribe(with: QueryEventHandler { state, _ in seen.note(state.value) })
            #expect(seen.take() == [1])
            client.reset(session: "b")
            #expect(seen.all == [nil])
            subscription.cancel()
        }

        @Test func `R22 a layer of the previous session is removed when the next session begins`() async throws {
            let bench = MutationBench(session: "a", isOnline: false)
            bench.client.setValue(1, for: Number(1))
            try bench.changes.submit(Change.Step(5))
            #expect(bench.client.store(for: Number(1)).value == 6)
            bench.client.reset(session: "b")
            bench.client.setValue(50, for: Number(1))
            await bench.client.settled()
            #expect(bench.client.store(for: Number(1)).value == 50)
            #expect(bench.changes.history.isEmpty)
        }

        @Test func `R10 a context created without a client gets the store's client`() async throws {
            let bench = TestBench()
            var context = QueryContext()
            context.backend = Backend { $0.context.queryClient == nil ? 0 : 7 }
            #expect(try await bench.client.store(for: Number(1)).fetch(using: context) == 7)
        }

        @Test func `R10 a fetch that outlives its session finds no client in its context`() async throws {
            let gate = Gate(ignoresCancellation: true)
            let seen = Recorder<Bool>()
            let bench = TestBench { call in
                try await gate.pass()
                seen.note(call.context.queryClient == nil)
                call.context.queryClient?.setValue(9, for: Number(2))
                return 1
            }
            let caller = Task { try await bench.client.fetch(Number(1)) }
            await gate.arrived()
            bench.client.reset(session: "b")
            gate.open()
            _ = await caller.result
            await reaches { seen.count == 1 }
            await bench.client.settled()
            #expect(seen.all == [true])
            #expect(bench.client.value(for: Number(1)) == nil && bench.client.value(for: Number(2)) == nil)
        }
    }
}

extension MutationRun {
    fileprivate var isCancelled: Bool { if case .cancelled = status { true } else { false } }
}
