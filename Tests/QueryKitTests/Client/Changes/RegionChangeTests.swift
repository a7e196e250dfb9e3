import QueryKit
import QueryKitTesting
import TestSupport
import Testing

/// Regions of a shelf of numbers, a data source like any app's own.
private func shelf(_ id: Int) -> QueryRegion { QueryRegion(source: "shelf", name: "number", partition: "\(id)") }

struct RegionChangeTests {
    private func reading() -> TestBench {
        TestBench { call in
            QueryReads.note([shelf(call.id)])
            return call.number
        }
    }

    @Test func `R18 a change reruns the observed requests that read the region and marks the unobserved ones`() async throws {
        let bench = reading()
        let one = bench.client.store(for: Number(1).ttl(.infinity))
        let two = bench.client.store(for: Number(2).ttl(.infinity))
        let idle = bench.client.store(for: Number(3).ttl(.infinity))
        let subscriptions = [one.record(Recorder()), two.record(Recorder())]
        _ = try await idle.fetch()
        await bench.client.settled()
        bench.client.changed([shelf(1), shelf(3)])
        await bench.client.settled()
        #expect(bench.backend.fetched.filter { $0 == 1 }.count == 2)
        #expect(bench.backend.fetched.filter { $0 == 2 }.count == 1)
        #expect(one.state.cause == .regionChanged)
        #expect(one.state.cause.region == shelf(1))
        #expect(idle.isStale && !two.isStale)
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `R33 a client is not settled between the entering of a change and the runs it causes`() async throws {
        let bench = reading()
        let (client, store) = (bench.client, bench.client.store(for: Number(1).ttl(.infinity)))
        let subscription = store.record(Recorder())
        await client.settled()
        let change = client.enter([shelf(1)], cause: .otherProcess, by: nil)
        let isSettled = Lock(false)
        let barrier = Task {
            await client.settled()
            isSettled.withLock { $0 = true }
        }
        await #expect(throws: QueryUnsettledError.self) { try await client.settled(timeout: .milliseconds(20)) }
        #expect(!isSettled.withLock { $0 })
        change.notify()
        await barrier.value
        #expect(bench.backend.count == 2 && !store.isStale)
        subscription.cancel()
    }

    @Test func `R18 reads in child tasks are noted, but not those of a task that outlives the run`() async throws {
        let gate = Gate()
        let left = Lock<Task<Void, any Error>?>(nil)
        let bench = TestBench { call in
            async let child: Void = QueryReads.note([shelf(10)])
            await withTaskGroup(of: Void.self) { group in
                group.addTask { QueryReads.note([shelf(11)]) }
            }
            await child
            let task = Task {
                try await gate.pass()
                QueryReads.note([shelf(12)])
            }
            left.withLock { $0 = task }
            return call.number
        }
        let store = bench.client.store(for: Number().ttl(.infinity))
        _ = try await store.fetch()
        gate.open()
        try await left.withLock { $0 }?.value
        bench.client.changed([shelf(12)])
        #expect(!store.isStale)
        bench.client.changed([shelf(11)])
        #expect(store.isStale)
        _ = try await store.fetch()
        bench.client.changed([shelf(10)])
        #expect(store.isStale)
    }

    @Test func `R18 reads on another thread are noted through the QueryReads it captured`() async throws {
        let bench = TestBench { call in
            let reads = QueryReads.current
            await Task.detached { reads?.note([shelf(1)]) }.value
            return call.number
        }
        let store = bench.client.store(for: Number().ttl(.infinity))
        _ = try await store.fetch()
        bench.client.changed([QueryRegion(source: "shelf")])
        #expect(store.isStale)
        #expect(QueryReads.current == nil)
    }

    @Test func `R18 a change during a run is followed by exactly one more run`() async {
        let gate = Gate()
        let bench = TestBench { call in
            QueryReads.note([shelf(1)])
            if call.number == 1 { try await gate.pass() }
            return call.number
        }
        let store = bench.client.store(for: Number().ttl(.infinity))
        let seen = Recorder<String>()
        let subscription = store.record(seen)
        await gate.arrived()
        bench.client.changed([shelf(1)])
        bench.client.changed([shelf(1)])
        gate.open()
        await bench.client.settled()
        #expect(seen.all == ["idle", "loading", "loading invalidated", "1 fetching invalidated", "2"])
        subscription.cancel()
    }

    @Test func `R18 a change made by a run itself reruns other readers, but not that run`() async throws {
        let bench = TestBench()
        let client = bench.client
        bench.backend.behave { call in
            QueryReads.note([shelf(1)])
            if call.id == 1, call.number < 20 {
                await withTaskGroup(of: Void.self) { group in group.addTask { client.changed([shelf(1)]) } }
            }
            return call.number
        }
        let subscriptions = [client.store(for: Number(2).ttl(.infinity)).record(Recorder())]
        await client.settled()
        let own = client.store(for: Number(1).ttl(.infinity))
        for _ in 1...3 {
            _ = try await own.fetch()
            await client.settled()
            #expect(!own.isStale)
        }
        #expect(bench.backend.fetched.sorted() == [1, 1, 1, 2, 2, 2, 2])
        for subscription in subscriptions { subscription.cancel() }
    }

    /// Request 2 fetches request 1, which changes a region that 2 reads: 2 reads it before the fetch too (`readsFirst`) or only after it.
    @Test(arguments: [true, false])
    func `R18 a run that waits for another run's change runs again only if it had read the region before`(_ readsFirst: Bool) async throws {
        let bench = TestBench()
        let client = bench.client
        bench.backend.behave { call in
            if call.id == 1 {
                client.changed([shelf(2)])
            } else {
                // Only the first two times, so that an endless loop fails with a wrong count instead of hanging.
                if readsFirst, call.number <= 4 { QueryReads.note([shelf(2)]) }
                if call.number <= 20 { _ = try await client.fetch(Number(1)) }
                QueryReads.note([shelf(2)])
            }
            return call.number
        }
        let store = client.store(for: Number(2).ttl(.infinity))
        let subscription = store.record(Recorder())
        await client.settled()
        let first = bench.backend.fetched
        client.changed([shelf(2)])
        await client.settled()
        let second = bench.backend.fetched.dropFirst(first.count)
        #expect(first == (readsFirst ? [2, 1, 2, 1, 2, 1] : [2, 1]))
        #expect(second == [2, 1])
        #expect(!store.isStale)
        subscription.cancel()
    }

    @Test func `R18 R17 a change made by an overtaken run reruns the current reader`() async throws {
        let gate = Gate(ignoresCancellation: true)
        let bench = TestBench()
        let client = bench.client
        bench.backend.behave { call in
            QueryReads.note([shelf(1)])
            if call.number == 1 {
                try await gate.pass()
                client.changed([shelf(1)])
            }
            return call.number
        }
        let store = client.store(for: Number().ttl(.infinity))
        let subscription = store.record(Recorder())
        await gate.arrived()
        store.reset()
        _ = try await store.fetch()
        #expect(!store.isStale)
        gate.open()
        for await isThere in store.select({ $0.value == 3 && !$0.isFetching }) where isThere { break }
        #expect(bench.backend.count == 3)
        subscription.cancel()
    }

    @Test func `R18 if a source marks a run's read as outdated, only that run is repeated`() async {
        let bench = TestBench { call in
            guard call.id == 1 else {
                QueryReads.note([shelf(1)])
                return call.number
            }
            let reads = QueryReads.current
            await Task.detached {
                reads?.note([shelf(1)])
                if call.number <= 2 { reads?.outdate([shelf(1)]) }
            }.value
            return call.number
        }
        let other = bench.client.store(for: Number(2).ttl(.infinity)).record(Recorder())
        await bench.client.settled()
        let seen = Recorder<String>()
        let store = bench.client.store(for: Number(1).ttl(.infinity))
        let subscription = store.record(seen)
        await bench.client.settled()
        #expect(seen.all == ["idle", "loading", "loading invalidated", "2 fetching invalidated", "3"])
        #expect(store.state.cause.region == shelf(1))
        #expect(bench.backend.fetched == [2, 1, 1])
        for subscription in [subscription, other] { subscription.cancel() }
    }

    @Test func `R18 the value of a private fetch is stale if the source marks its read as outdated`() async throws {
        let bench = TestBench { call in
            let reads = QueryReads.current
            reads?.note([shelf(1)])
            reads?.outdate([shelf(1)])
            return call.number
        }
        let request = Number().ttl(.infinity).deduplicated(false)
        #expect(try await bench.client.store(for: request).fetch() == 1)
        #expect(bench.client.store(for: request).isStale)
    }

    @Test func `R18 an abandoned run that keeps reading does not invalidate the value of a later run`() async throws {
        let (old, isReported) = (Gate(), Gate())
        let bench = TestBench { call in
            let reads = QueryReads.current
            reads?.note([shelf(1)])
            if call.number == 1 {
                // Ignores its cancellation.
                await Task.detached { try? await old.pass() }.value
                reads?.outdate([shelf(1)])
                isReported.open()
                try? await isReported.pass()
            }
            return call.number
        }
        let store = bench.client.store(for: Number().ttl(.infinity))
        let caller = Task { try await store.fetch() }
        await old.arrived()
        caller.cancel()
        _ = await caller.result
        #expect(try await store.fetch() == 2)
        old.open()
        await isReported.arrived()
        #expect(!store.isStale && !store.isInvalidated)
    }

    @Test func `R18 a successful run's reads replace the earlier ones`() async throws {
        let bench = TestBench { call in
            QueryReads.note([shelf(call.number)])
            if call.number == 2 { throw TestError() }
            return call.number
        }
        let store = bench.client.store(for: Number().ttl(.infinity))
        _ = try await store.fetch()
        _ = try? await store.fetch()
        // The first run's value still shows. The third run replaces the reads of both earlier ones.
        let subscription = store.record(Recorder())
        await bench.client.settled()
        #expect(bench.backend.count == 3)
        bench.client.changed([shelf(1)])
        bench.client.changed([shelf(2)])
        await bench.client.settled()
        #expect(bench.backend.count == 3)
        bench.client.changed([shelf(3)])
        await bench.client.settled()
        #expect(bench.backend.count == 4)
        subscription.cancel()
    }

    @Test func `R18 after a failed run, a change of what the shown value read still causes a run`() async throws {
        let bench = TestBench { call in
            QueryReads.note([shelf(call.number)])
            if call.number == 2 { throw TestError() }
            return call.number
        }
        let store = bench.client.store(for: Number().retry(limit: 0))
        let subscription = store.record(Recorder())
        await bench.client.settled()
        bench.client.invalidate("**")
        await bench.client.settled()
        #expect(store.error != nil)
        bench.client.changed([shelf(1)])
        await bench.client.settled()
        #expect(bench.backend.count == 3)
        subscription.cancel()
    }

    @Test func `R18 a request that fetches another one is rerun when a region changes that the inner one read`() async throws {
        let bench = TestBench { call in
            if call.id == 1 { return try await call.context.queryClient?.fetch(Number(2).ttl(.infinity)) ?? 0 }
            QueryReads.note([shelf(2)])
            return call.number * 10
        }
        let outer = bench.client.store(for: Number(1).ttl(.infinity))
        let subscription = outer.record(Recorder())
        await bench.client.settled()
        #expect(outer.value == 20)
        for round in 1...20 {
            bench.client.changed([shelf(2)])
            await bench.client.settled()
            // The inner request is stale before the outer one fetches it.
            #expect(outer.value == (2 + round * 2) * 10)
        }
        subscription.cancel()
    }

    @Test func `R18 a change does not affect a store that was released`() async throws {
        let bench = reading()
        _ = try await bench.client.fetch(Number(1).keep(for: .seconds(1)))
        bench.clock.advance(by: .seconds(2))
        #expect(bench.client.storeCount == 0)
        bench.client.changed([shelf(1)])
        await bench.client.settled()
        let store = bench.client.store(for: Number(1))
        #expect(!store.isInvalidated)
        #expect(bench.backend.count == 1)
    }

    @Test func `R18 collecting returns the regions that an operation notes`() async {
        let (value, regions) = await QueryReads.collecting {
            QueryReads.note([shelf(1), shelf(2), shelf(1)])
            return 7
        }
        #expect(value == 7)
        #expect(regions == [shelf(1), shelf(2)])
    }

    @Test func `R18 a hundred thousand reads are merged into one region for the whole table`() async throws {
        let bench = TestBench { call in
            QueryReads.note((0..<100_000).map(shelf))
            return call.number
        }
        let store = bench.client.store(for: Number().ttl(.infinity))
        _ = try await store.fetch()
        bench.client.changed([QueryRegion(source: "shelf", name: "number", partition: "elsewhere")])
        #expect(store.isStale)
    }

    @Test func `R27 a change by another process has its own cause`() async {
        let bench = reading()
        let store = bench.client.store(for: Number(1))
        let subscription = store.record(Recorder())
        await bench.client.settled()
        bench.client.changed([shelf(1)], cause: .otherProcess)
        #expect(store.state.cause == .otherProcess)
        #expect("\(store.state.cause)" == "otherProcess(\(shelf(1)))" && store.state.cause.unredacted == "otherProcess(shelf/number/1)")
        await bench.client.settled()
        subscription.cancel()
    }
}

struct TagTests {
    @Test func `a tag invalidates all requests that carry it`() async throws {
        let bench = TestBench()
        let one = bench.client.store(for: Number(1).ttl(.infinity).tagged("a", "b"))
        let two = bench.client.store(for: Number(2).ttl(.infinity).tagged("b"))
        let three = bench.client.store(for: Number(3).ttl(.infinity))
        for store in [one, two, three] { _ = try await store.fetch() }
        bench.client.invalidate(tags: ["a"])
        #expect(one.isStale && !two.isStale && !three.isStale)
        #expect(one.state.cause == .tagged("a"))
        bench.client.invalidate(tags: ["b", "unknown"])
        #expect(two.isStale && !three.isStale)
    }

    @Test func `tags computed from a result are replaced when the value changes`() async throws {
        let bench = TestBench()
        let store = bench.client.store(for: Number().ttl(.infinity).tagged("fixed").tagged { ["number/\($0)"] })
        let subscription = store.record(Recorder())
        await bench.client.settled()
        bench.client.invalidate(tags: ["number/1"])
        await bench.client.settled()
        bench.client.invalidate(tags: ["number/1"])
        await bench.client.settled()
        #expect(bench.backend.count == 2)
        store.setValue(40)
        bench.client.invalidate(tags: ["number/40"])
        await bench.client.settled()
        #expect(bench.backend.count == 3)
        bench.client.invalidate(tags: ["fixed"])
        await bench.client.settled()
        #expect(bench.backend.count == 4)
        subscription.cancel()
    }

    @Test func `invalidating a tag during the run whose result carries it starts another run`() async throws {
        let gate = Gate()
        let bench = TestBench { call in
            if call.number == 1 { try await gate.pass() }
            return call.number
        }
        let store = bench.client.store(for: Number().ttl(.infinity).tagged { _ in ["late"] })
        let subscription = store.record(Recorder())
        await gate.arrived()
        bench.client.invalidate(tags: ["late"])
        gate.open()
        await bench.client.settled()
        #expect(bench.backend.count == 2)
        subscription.cancel()
    }

    @Test func `computed tags of a later request apply to the existing value`() async throws {
        let bench = TestBench()
        let store = bench.client.store(for: Number().ttl(.infinity))
        _ = try await store.fetch()
        let tagged = bench.client.store(for: Number().ttl(.infinity).tagged { ["number/\($0)"] })
        bench.client.invalidate(tags: ["number/1"])
        #expect(store.isStale && tagged.isStale)
    }

    @Test func `tags of a later request for the same store take effect`() async throws {
        let bench = TestBench()
        let store = bench.client.store(for: Number().ttl(.infinity))
        _ = try await store.fetch()
        _ = bench.client.store(for: Number().ttl(.infinity).tagged("late"))
        bench.client.invalidate(tags: ["late"])
        #expect(store.isStale)
    }
}
