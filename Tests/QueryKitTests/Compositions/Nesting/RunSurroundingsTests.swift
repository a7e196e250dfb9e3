import QueryKit
import QueryKitTesting
import TestSupport
import Testing

private enum Local {
    @TaskLocal static var number = 0
}

private struct LocalMutation: MutationRequest {
    let seen: Recorder<Int>

    static func == (left: LocalMutation, right: LocalMutation) -> Bool { true }
    func hash(into hasher: inout Hasher) {}

    func mutate(with amount: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        seen.note(Local.number)
        return amount
    }

    func invalidates(with amount: Int, value: Int) -> [QueryPattern] {
        seen.note(Local.number)
        return []
    }
}

extension Compositions {
    /// The environment of a run, and small guarantees of paths, tasks and updates.
    struct RunSurroundingsTests {
        /// What starts a run.
        enum Start: CaseIterable, Sendable {
            case caller, ownRun, subscription, invalidation, trigger, prefetch
        }

        private func start(_ start: Start, _ bench: TestBench, _ bell: Bell) async throws -> QuerySubscription? {
            let client = bench.client
            switch start {
            case .caller: _ = try await client.fetch(Number(1))
            case .ownRun: _ = try await client.fetch(Number(1).deduplicated(false))
            case .subscription: return client.store(for: Number(1)).record(Recorder())
            case .invalidation: client.invalidate("number/*", refetch: .all)
            case .trigger: bell.ring()
            case .prefetch: await client.prefetch(Number(1))
            }
            return nil
        }

        @Test(arguments: Start.allCases) func `a run does not inherit task-local values from its cause`(_ start: Start) async throws {
            let seen = Recorder<Int>()
            let bell = Bell()
            let bench = TestBench { call in
                seen.note(Local.number)
                return call.number
            }
            // Prepare an observed or fetched store for the causes that need one.
            var subscriptions: [QuerySubscription] = []
            switch start {
            case .trigger: subscriptions.append(bench.client.store(for: Number(1).refetch(on: bell.trigger)).record(Recorder()))
            case .invalidation: _ = try await bench.client.fetch(Number(1).ttl(.infinity))
            case .caller, .ownRun, .subscription, .prefetch: break
            }
            await bench.client.settled()
            _ = seen.take()
            let subscription = try await Local.$number.withValue(7) { try await self.start(start, bench, bell) }
            await bench.client.settled()
            #expect(seen.all == [0])
            for subscription in subscriptions { subscription.cancel() }
            subscription?.cancel()
        }

        @Test func `a mutation does not inherit task-local values from its caller`() async throws {
            let seen = Recorder<Int>()
            let client = TestBench().client
            _ = try await Local.$number.withValue(7) { try await client.mutate(LocalMutation(seen: seen), with: 1) }
            #expect(seen.all == [0, 0])
        }

        @Test func `a fetch task does not inherit task-local values from the code that starts it`() async throws {
            let seen = Recorder<Int>()
            let client = TestBench { _ in 1 }.client
            let store = client.store(for: Number(1))
            let listener = store.subscribe(with: QueryEventHandler(onFetchingStarted: { _ in seen.note(Local.number) }))
            await client.settled()
            _ = seen.take()
            let task = Local.$number.withValue(7) { store.fetchTask().start() }
            #expect(try await task.value == 1)
            await client.settled()
            #expect(seen.all == [0])
            listener.cancel()
        }

        @Test func `R18 a fetch task inside a fetch counts as part of it`() async throws {
            let source = Source()
            let bench = TestBench { call in
                guard call.id == 1, let client = call.context.queryClient else { return source.read() }
                return try await client.store(for: Number(2)).fetchTask().value
            } adjusting: {
                $0.ttl = .infinity
            }
            try await bench.client.fetch(Number(1))
            #expect(!bench.client.store(for: Number(1)).isStale)
            source.change(to: 1, in: bench.client)
            #expect(bench.client.store(for: Number(1)).isStale)
        }

        @Test func `R18 an inner run does not inherit task-local values of the outer fetch, but counts as part of it`() async throws {
            let seen = Recorder<Int>()
            let source = Source()
            let bench = TestBench { call in
                if call.id == 1 {
                    return try await Local.$number.withValue(7) { try await call.context.queryClient?.fetch(Number(2)) ?? -1 }
                }
                seen.note(Local.number)
                return source.read()
            } adjusting: {
                $0.ttl = .infinity
            }
            _ = try await bench.client.fetch(Number(1))
            #expect(seen.all == [0])
            source.change(to: 1, in: bench.client)
            #expect(bench.client.store(for: Number(1)).isStale)
        }

        // MARK: Paths

        @Test func `a substring in a path equals the string with the same characters`() {
            let text = "food/entries"
            let part = text.prefix(4)
            #expect(QueryPath([part, 1]) == ["food", 1])
            #expect(QueryPath.Element(part) == QueryPath.Element("food"))
            #expect(QueryPath(["food"]).appending(part) == ["food", "food"])
            #expect(Set<QueryPath>([QueryPath([part]), ["food"]]).count == 1)
        }

        @Test func `a pattern matches a path that contains a substring`() {
            let part = "food/entries".prefix(4)
            let path = QueryPath([part, 1])
            #expect(QueryPattern.path(path).matches(path))
            #expect(QueryPattern.path(["food", 1]).matches(path))
            #expect((["food", .any] as QueryPattern).matches(path))
        }

        @Test func `an array literal of a pattern accepts variables, like that of a path`() {
            struct Day: Hashable, Sendable { let number: Int }
            let (name, number, day, part) = ("week", 3, Day(number: 1), "food/entries".prefix(4))
            #expect((["list", name, number, day] as QueryPattern).matches(["list", name, number, day]))
            #expect((["list", name, .any, .rest] as QueryPattern).matches(["list", "week", day, 1, 2]))
            #expect(([part, .value(day)] as QueryPattern) == ["food", .value(Day(number: 1))])
            #expect(!(["list", "3"] as QueryPattern).matches(["list", number]))
            #expect(!(["list", "*"] as QueryPattern).matches(["list", name]))
            #expect((["list", QueryPath.Element(name)] as QueryPattern) == ["list", "week"])
        }

        // MARK: Tasks and updates

        @Test func `cancelling a fetch task that has succeeded does not mark it as cancelled`() async throws {
            let task = TestBench().client.store(for: Number(1)).fetchTask().start()
            #expect(try await task.value == 1)
            task.cancel()
            #expect(!task.isCancelled)
            #expect(try await task.value == 1)
        }

        @Test func `cancelling a fetch task that has failed does not mark it as cancelled`() async {
            let task = TestBench { _ in throw TestError() }.client.store(for: Number(1)).fetchTask().start()
            await #expect(throws: TestError.self) { try await task.value }
            task.cancel()
            #expect(!task.isCancelled && task.isStarted)
            await #expect(throws: TestError.self) { try await task.value }
        }

        @Test func `a fetch task cancelled before it starts fetches nothing`() async {
            let bench = TestBench()
            let task = bench.client.store(for: Number(1)).fetchTask()
            task.cancel()
            #expect(task.isCancelled)
            await #expect(throws: CancellationError.self) { try await task.start().value }
            #expect(bench.backend.count == 0)
        }

        @Test func `the result of a fetch can be discarded`() async throws {
            let bench = TestBench()
            try await bench.client.fetch(Number(1))
            try await bench.client.store(for: Number(1)).fetch()
            #expect(bench.backend.count == 2)
        }

        @Test func `cancelling a running fetch task marks it as cancelled`() async throws {
            let gate = Gate()
            let client = TestBench { _ in
                try await gate.pass()
                return 1
            }.client
            let task = client.store(for: Number(1)).fetchTask().start()
            await gate.arrived()
            task.cancel()
            #expect(task.isCancelled)
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(task.isCancelled)
        }

        @Test func `R19 an update overtaken by another write is applied again to the written value`() {
            let store = TestBench().client.store(for: Number(1))
            store.setValue(1)
            let calls = Recorder<Int>()
            store.updateValue { value in
                calls.note(value)
                if calls.count == 1 { store.setValue(10) }
                value += 1
            }
            #expect(store.value == 11)
            #expect(calls.all == [1, 10])
        }
    }
}
