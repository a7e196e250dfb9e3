import QueryKit
import TestSupport
import Testing

/// Mutations on many threads, with layers, failures, cancellation and an unstable network. Runs under the thread sanitizer in CI.
struct MutationConcurrencyTests {
    @Test func `R22 after many overlapping mutations the value matches the accounts and no layer is left`() async throws {
        for round in 0..<20 {
            let bench = MutationBench { call in
                await Task.yield()
                if (call.number + round) % 4 == 0 { throw TestError() }
            }
            let store = bench.client.store(for: Number())
            let subscription = store.record(Recorder())
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<6 {
                    group.addTask {
                        for amount in 1...8 { _ = try? await bench.client.mutate(Change(), with: Change.Step(amount)) }
                    }
                }
            }
            await bench.client.settled()
            #expect(store.value == bench.accounts[1])
            #expect(!store.isOptimistic)
            #expect(bench.client.runningCount() == 0)
            subscription.cancel()
        }
    }

    @Test func `R21 calls of one scope never overlap, even from many callers`() async throws {
        let inside = Lock((now: 0, most: 0))
        let bench = MutationBench { _ in
            inside.withLock { inside in
                inside.now += 1
                inside.most = max(inside.most, inside.now)
            }
            await Task.yield()
            inside.withLock { $0.now -= 1 }
        }
        await withTaskGroup(of: Void.self) { group in
            for caller in 0..<8 {
                group.addTask {
                    for amount in 1...20 {
                        let call = Task { try await bench.client.mutate(Change(scope: "s"), with: Change.Step(amount)) }
                        if (caller + amount) % 5 == 0 { call.cancel() }
                        _ = await call.result
                    }
                }
            }
        }
        await bench.client.settled()
        #expect(inside.withLock { $0.most } == 1)
    }

    @Test func `R24 each call is made once even if the network is lost and restored repeatedly`() async throws {
        for _ in 0..<10 {
            let journal = MemoryMutationJournal()
            let bench = MutationBench(journal: journal) { _ in await Task.yield() }
            let store = bench.client.store(for: Number())
            let subscription = store.record(Recorder())
            await withTaskGroup(of: Void.self) { group in
                for caller in 0..<4 {
                    group.addTask {
                        for _ in 0..<10 { _ = try? await bench.client.mutate(Change(scope: "\(caller % 2)"), with: Change.Step(1)) }
                    }
                }
                group.addTask {
                    for _ in 0..<40 {
                        bench.network.set(isOnline: false)
                        await Task.yield()
                        bench.network.set(isOnline: true)
                        await Task.yield()
                    }
                }
            }
            await bench.client.settled()
            #expect(bench.accounts[1] == 40)
            #expect(store.value == 40)
            #expect(!store.isOptimistic && !store.isPaused)
            #expect(try await journal.entries().isEmpty)
            subscription.cancel()
        }
    }

    @Test func `a session that ends during mutations leaves no value or layer behind`() async throws {
        for _ in 0..<20 {
            let bench = MutationBench(session: "a") { _ in await Task.yield() }
            let store = bench.client.store(for: Number())
            let subscription = store.record(Recorder())
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        for _ in 0..<10 { _ = try? await bench.client.mutate(Change(), with: Change.Step(1)) }
                    }
                }
                group.addTask { bench.client.reset(session: "b") }
            }
            await bench.client.settled()
            _ = try await store.fetch()
            await bench.client.settled()
            #expect(store.value == bench.accounts[1])
            #expect(!store.isOptimistic)
            subscription.cancel()
        }
    }
}
