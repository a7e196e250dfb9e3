import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

struct LayerTests {
    private let gate = Gate()
    private let seen = Recorder<String>()

    /// A client with an observed, fetched number; the accounts are the server.
    private func looking(_ before: @escaping @Sendable (Accounts.Call) async throws -> Void) async -> (MutationBench, QuerySubscription) {
        let bench = MutationBench(before: before)
        let subscription = bench.client.store(for: Number()).record(seen)
        await bench.client.settled()
        _ = seen.take()
        return (bench, subscription)
    }

    @Test func `R22 a layer is shown when mutate is called and removed with the refetch, without flicker`() async throws {
        let (bench, subscription) = await looking { [gate] _ in try await gate.pass() }
        try bench.changes.submit(Change.Step(5))
        #expect(seen.take() == ["5"])
        #expect(bench.client.store(for: Number()).isOptimistic)
        await gate.arrived()
        gate.open()
        await bench.client.settled()
        #expect(bench.client.store(for: Number()).isOptimistic == false)
        #expect(seen.take() == ["5 fetching invalidated", "5"])
        subscription.cancel()
    }

    @Test func `R22 a failure removes only the layer of its own call`() async throws {
        let failure = Gate()
        let (bench, subscription) = await looking { [gate] call in
            try await (call.step.amount == 1 ? failure : gate).pass()
            if call.step.amount == 1 { throw TestError() }
        }
        try bench.changes.submit(Change.Step(10))
        await gate.arrived()
        try bench.changes.submit(Change.Step(1))
        try bench.changes.submit(Change.Step(100))
        failure.open()
        await bench.wait { $0.history[1].isPending == false }
        #expect(bench.client.value(for: Number()) == 110)
        #expect(seen.all.prefix(3) == ["10", "11", "111"])
        gate.open()
        await bench.client.settled()
        #expect(bench.client.value(for: Number()) == 110)
        #expect(bench.client.store(for: Number()).isOptimistic == false)
        subscription.cancel()
    }

    @Test func `R22 a new value replaces the base beneath the layers`() async throws {
        let (bench, subscription) = await looking { [gate] _ in try await gate.pass() }
        try bench.changes.submit(Change.Step(5))
        let store = bench.client.store(for: Number())
        bench.backend.behave { _ in 100 }
        _ = try await store.fetch()
        #expect(store.value == 105)
        store.setValue(200)
        #expect(store.value == 205)
        store.updateValue { $0 += 1 }
        #expect(store.value == 206)
        bench.client.cancelMutations()
        await bench.client.settled()
        #expect(store.value == 201)
        subscription.cancel()
    }

    @Test func `R22 two overlapping mutations neither undo nor hide each other, whichever ends first`() async throws {
        for order in [[1, 2], [2, 1]] {
            let gates = [1: Gate(), 2: Gate()]
            let recorder = Recorder<Int?>()
            let bench = MutationBench { call in try await gates[call.step.amount]?.pass() }
            let store = bench.client.store(for: Number())
            let subscription = store.subscribe(with: QueryEventHandler { state, _ in recorder.note(state.value) })
            await bench.client.settled()
            try bench.changes.submit(Change.Step(1))
            try bench.changes.submit(Change.Step(2))
            _ = recorder.take()
            for (ended, amount) in order.enumerated() {
                await gates[amount]?.arrived()
                gates[amount]?.open()
                await bench.wait { $0.history.count { !$0.isPending } == ended + 1 }
                for await isFetching in store.select({ $0.isFetching || $0.isInvalidated }) where !isFetching { break }
                #expect(store.value == 3)
            }
            await bench.client.settled()
            // Only the sum of both was ever shown.
            #expect(Set(recorder.all) == [3])
            #expect(!store.isOptimistic)
            subscription.cancel()
        }
    }

    @Test func `R22 a run that began before the change keeps the layer, and the next run removes it`() async throws {
        let fetch = Gate()
        let (bench, subscription) = await looking { [gate] _ in try await gate.pass() }
        let store = bench.client.store(for: Number())
        let accounts = bench.accounts
        bench.backend.behave { call in
            let value = accounts[1]
            if call.number == 2 { try await fetch.pass() }
            return value
        }
        try bench.changes.submit(Change.Step(5))
        bench.client.refetch(.all)
        await fetch.arrived()
        gate.open()
        await bench.wait { $0.history[0].isPending == false }
        fetch.open()
        await bench.client.settled()
        #expect(bench.backend.count == 3)
        // The run that began before read 0, which was never shown.
        #expect(seen.all.allSatisfy { $0.hasPrefix("5") })
        #expect(store.value == 5)
        #expect(!store.isOptimistic)
        subscription.cancel()
    }

    @Test func `R22 R23 when a mutation changes a region, the refetch removes its layer even before the mutation returns`() async throws {
        let region = QueryRegion(source: "accounts")
        let committed = Gate()
        let (bench, subscription) = await looking { call in
            // Like a database: the change is made, its readers are notified, and only then the mutation returns.
            call.context.queryClient?.changed([region])
            try await committed.pass()
        }
        let store = bench.client.store(for: Number())
        bench.backend.behave { _ in
            QueryReads.note([region])
            return 5
        }
        _ = try await store.fetch()
        store.setValue(0)
        _ = seen.take()
        try bench.changes.submit(Change.Step(5))
        await committed.arrived()
        for await isFetching in store.select(\.isFetching) where !isFetching { break }
        // 5 and not 10: the base already includes the change, so the layer must be removed.
        #expect(store.value == 5)
        committed.open()
        await bench.client.settled()
        #expect(store.value == 5)
        #expect(seen.all.allSatisfy { $0.hasPrefix("5") })
        subscription.cancel()
    }

    @Test func `R22 a mutation that writes its result shows the change once`() async throws {
        let (bench, subscription) = await looking { call in
            call.context.queryClient?.setValue(call.step.amount, for: Number())
        }
        _ = try await bench.client.mutate(Change(), with: Change.Step(5))
        await bench.client.settled()
        #expect(bench.client.value(for: Number()) == 5)
        #expect(seen.all.allSatisfy { $0.hasPrefix("5") })
        subscription.cancel()
    }

    @Test func `R22 without observers the layer of a successful call becomes the value until the next fetch`() async throws {
        let bench = MutationBench()
        let store = bench.client.store(for: Number().ttl(.infinity))
        _ = try await store.fetch()
        _ = try await bench.client.mutate(Change(), with: Change.Step(5))
        #expect(store.value == 5)
        #expect(!store.isOptimistic)
        #expect(store.isInvalidated)
        #expect(bench.backend.count == 1)
    }

    @Test func `R22 a layer over an empty store is shown with the first value`() async throws {
        let bench = MutationBench { [gate] _ in try await gate.pass() }
        try bench.changes.submit(Change.Step(5))
        let store = bench.client.store(for: Number())
        #expect(store.value == nil)
        #expect(!store.isOptimistic)
        bench.backend.behave { _ in 100 }
        let value = try await store.fetch()
        #expect(value == 100)
        #expect(store.value == 105)
        bench.client.cancelMutations()
        await bench.client.settled()
        #expect(store.value == 100)
    }

    @Test func `R22 a store with the layer of a pending mutation is kept and released afterwards`() async throws {
        let bench = MutationBench { [gate] _ in try await gate.pass() }
        try bench.changes.submit(Change.Step(5))
        bench.client.store(for: Number()).setValue(1)
        bench.clock.advance(by: .seconds(10_000))
        bench.client.releaseMemory(.critical)
        #expect(bench.client.value(for: Number()) == 6)
        bench.client.cancelMutations()
        await bench.client.settled()
        bench.clock.advance(by: .seconds(10_000))
        #expect(bench.client.storeCount == 0)
    }

    @Test func `R22 a cancelled run restores the base value with the layers over it`() async throws {
        let fetch = Gate()
        let bench = MutationBench { [gate] _ in try await gate.pass() }
        let store = bench.client.store(for: Number())
        store.setValue(1)
        bench.backend.behave { call in
            call.continuation.yield(50)
            try await fetch.pass()
            return 99
        }
        let caller = Task { try await store.fetch() }
        await fetch.arrived()
        try bench.changes.submit(Change.Step(5))
        #expect(store.value == 55)
        caller.cancel()
        _ = await caller.result
        // A task other than the cancelled one restores the previous value with its layers.
        await bench.client.settled()
        #expect(store.value == 6)
        bench.client.cancelMutations()
        await bench.client.settled()
        #expect(store.value == 1)
    }

    @Test func `R22 no layer applies to a placeholder, even after a cancelled run`() async throws {
        let fetch = Gate()
        let bench = TestBench { call in
            try await fetch.pass()
            return call.number
        }
        let store = bench.client.store(for: Number().placeholder(7))
        let caller = Task { try await store.fetch() }
        await fetch.arrived()
        let owner = UUID()
        store.addLayer(of: owner) { $0 += 1 }
        store.cancel()
        _ = await caller.result
        #expect(store.value == 7 && store.isPlaceholder && !store.isOptimistic)
        #expect(store.core.baseValue == nil)
        store.core.removeLayers(of: [owner])
        #expect(store.value == 7 && store.isPlaceholder)
    }

    @Test func `R22 a reset removes the value and keeps the layers for the next one`() async throws {
        let (bench, subscription) = await looking { [gate] _ in try await gate.pass() }
        try bench.changes.submit(Change.Step(5))
        bench.client.reset("number/**")
        for await value in bench.client.store(for: Number()).select(\.value) where value != nil { break }
        #expect(bench.client.value(for: Number()) == 5)
        gate.open()
        await bench.client.settled()
        #expect(bench.client.value(for: Number()) == 5)
        subscription.cancel()
    }

    @Test func `a mutation whose optimistic throws runs without layers, and an event reports the error`() async throws {
        let bench = MutationBench()
        let events = bench.client.events
        let store = bench.client.store(for: Number())
        store.setValue(1)
        #expect(try await bench.client.mutate(Change(), with: Change.Step(Change.rejectedAmount)) == Change.rejectedAmount)
        #expect(store.value == 1)
        for await event in events where event.kind == .layerFailed {
            #expect(event.error as? TestError == TestError("rejectedAmount"))
            break
        }
    }

    @Test func `a layer that throws is left out without affecting others`() async throws {
        let bench = TestBench()
        let store = bench.client.store(for: Number())
        store.setValue(1)
        let (one, two) = (UUID(), UUID())
        store.addLayer(of: one) { _ in throw TestError() }
        store.addLayer(of: two) { $0 += 10 }
        #expect(store.value == 11)
        store.setValue(2)
        #expect(store.value == 12)
        store.core.removeLayers(of: [two])
        #expect(store.value == 2)
        store.core.removeLayers(of: [one])
        #expect(!store.isOptimistic)
    }

    @Test func `a layer that throws is reported when it is laid and over each new value`() async throws {
        let bench = TestBench()
        let events = bench.client.events
        let store = bench.client.store(for: Number())
        store.setValue(1)
        store.addLayer(of: UUID()) { value in throw TestError("over \(value)") }
        store.setValue(2)
        var reported: [String] = []
        for await event in events where event.kind == .layerFailed {
            reported.append("\(event.error.map { "\($0)" } ?? "")")
            if reported.count == 2 { break }
        }
        #expect(reported == ["over 1", "over 2"])
    }

    @Test func `R22 a value computed for a stack of layers is not used after one of them has landed`() {
        var stack = LayerStack()
        let (owner, writer) = (UUID(), UUID())
        for owner in [owner, writer] { stack.add({ $0 }, of: owner) }
        stack.land(owner, after: 1)
        #expect(stack.landed(RunReads(run: 1)).stack.version == stack.version)
        #expect(stack.landed(RunReads(run: 2)).stack.version != stack.version)
        #expect(stack.landed(nil, writer: writer).stack.version != stack.version)
    }
}
