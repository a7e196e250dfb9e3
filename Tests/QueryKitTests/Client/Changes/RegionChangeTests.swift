import QueryKit
import QueryKitTesting
import TestSupport
import Testing

/// A shelf of numbers that says which of them a fetch reads: a data source like any user's.
private func shelf(_ id: Int) -> QueryRegion { QueryRegion(source: "shelf", name: "number", partition: "\(id)") }

@Suite(.timeLimit(.minutes(5))) struct RegionChangeTests {
    private func reading() -> TestBench {
        TestBench { call in
            QueryReads.note([shelf(call.id)])
            return call.number
        }
    }

    @Test func `R18 a change runs those again that read it, and marks those nobody looks at`() async throws {
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

    @Test func `R18 reads are noted through child tasks, but not by what a run leaves behind`() async throws {
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

    @Test func `R18 a thread of the source's own notes through what it took along`() async throws {
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

    @Test func `R18 a change during the run counts, and exactly one other run follows`() async {
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

    @Test func `R18 a change that a run makes itself does not run it again, and does run others`() async throws {
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

    /// 2 fetches 1, which writes what 2 reads: before (`first`) or after that.
    @Test(arguments: [true, false])
    func `R18 a run that waits for the one that makes a change runs again only if it has read before`(_ readsFirst: Bool) async throws {
        let bench = TestBench()
        let client = bench.client
        bench.backend.behave { call in
            if call.id == 1 {
                client.changed([shelf(2)])
            } else {
                // Only the first two times, so that an endless circle is a wrong count and not a hang.
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

    @Test func `R18 R17 a change by a run that was overtaken counts`() async throws {
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

    @Test func `R18 a source may say that what a run noted had changed before, and nobody else runs again for it`() async {
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

    @Test func `R18 what a caller fetches for itself is out of date, too, when something had changed before its note`() async throws {
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

    @Test func `R18 a run that was given up and goes on reading does not outdate the value of a later one`() async throws {
        let (old, isTold) = (Gate(), Gate())
        let bench = TestBench { call in
            let reads = QueryReads.current
            reads?.note([shelf(1)])
            if call.number == 1 {
                // Does not listen to its cancellation.
                await Task.detached { try? await old.pass() }.value
                reads?.outdate([shelf(1)])
                isTold.open()
                try? await isTold.pass()
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
        await isTold.arrived()
        #expect(!store.isStale && !store.isInvalidated)
    }

    @Test func `R18 a run's reads take the place of those before, unless it fails`() async throws {
        let bench = TestBench { call in
            QueryReads.note([shelf(call.number)])
            if call.number == 2 { throw TestError() }
            return call.number
        }
        let store = bench.client.store(for: Number().ttl(.infinity))
        _ = try await store.fetch()
        _ = try? await store.fetch()
        // The value of the first run still shows, and the failure may end when what the second one read changes.
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

    @Test func `R18 a failed run leaves the reads of the value that still shows`() async throws {
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

    @Test func `R18 a request that fetches another one reads what that one read`() async throws {
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
            // The inner one is out of date before the outer one asks for it.
            #expect(outer.value == (2 + round * 2) * 10)
        }
        subscription.cancel()
    }

    @Test func `R18 a store that is gone hears of nothing`() async throws {
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

    @Test func `R18 collecting tells which regions a piece of work notes`() async {
        let (value, regions) = await QueryReads.collecting {
            QueryReads.note([shelf(1), shelf(2), shelf(1)])
            return 7
        }
        #expect(value == 7)
        #expect(regions == [shelf(1), shelf(2)])
    }

    @Test func `R18 a hundred thousand reads become the whole table and still reach the run`() async throws {
        let bench = TestBench { call in
            QueryReads.note((0..<100_000).map(shelf))
            return call.number
        }
        let store = bench.client.store(for: Number().ttl(.infinity))
        _ = try await store.fetch()
        bench.client.changed([QueryRegion(source: "shelf", name: "number", partition: "elsewhere")])
        #expect(store.isStale)
    }

    @Test func `R27 a change by another process is a cause of its own`() async {
        let bench = reading()
        let store = bench.client.store(for: Number(1))
        let subscription = store.record(Recorder())
        await bench.client.settled()
        bench.client.changed([shelf(1)], cause: .otherProcess)
        #expect(store.state.cause == .otherProcess)
        #expect("\(store.state.cause)" == "otherProcess(shelf/number/1)")
        await bench.client.settled()
        subscription.cancel()
    }
}

@Suite(.timeLimit(.minutes(5))) struct TagTests {
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

    @Test func `tags computed from a result change with it`() async throws {
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

    @Test func `a tag that is invalidated during the run whose result carries it is not lost`() async throws {
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

    @Test func `computed tags that come later take hold of the value that is there`() async throws {
        let bench = TestBench()
        let store = bench.client.store(for: Number().ttl(.infinity))
        _ = try await store.fetch()
        let tagged = bench.client.store(for: Number().ttl(.infinity).tagged { ["number/\($0)"] })
        bench.client.invalidate(tags: ["number/1"])
        #expect(store.isStale && tagged.isStale)
    }

    @Test func `tags that come with a request asked for again take hold`() async throws {
        let bench = TestBench()
        let store = bench.client.store(for: Number().ttl(.infinity))
        _ = try await store.fetch()
        _ = bench.client.store(for: Number().ttl(.infinity).tagged("late"))
        bench.client.invalidate(tags: ["late"])
        #expect(store.isStale)
    }
}
