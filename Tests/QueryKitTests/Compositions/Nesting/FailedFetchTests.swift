import QueryKit
import QueryKitTesting
import TestSupport
import Testing

extension Compositions {
    /// A request whose inner fetch fails depends on what that fetch has read.
    struct FailedFetchTests {
        /// How the outer request fetches the inner one.
        enum Kind: CaseIterable {
            case joins, runsPrivately, collects
        }

        private let source = Source()
        /// The gate where the inner request waits after it has read.
        private let gate = Gate()
        private let outer = Holdable()

        /// 1 fetches 2, which fails while the source is zero. With `fallsBack`, 1 then returns -1.
        private func bench(_ kind: Kind = .joins, fallsBack: Bool) -> TestBench {
            TestBench { [source, gate, outer] call in
                guard let client = call.context.queryClient else { throw TestError("no client") }
                if call.id == 2 {
                    let value = source.read()
                    try await gate.pass()
                    if value == 0 { throw TestError("not found") }
                    return value
                }
                return try await outer.run {
                    do {
                        switch kind {
                        case .joins: return try await client.fetch(Number(2))
                        case .runsPrivately: return try await client.fetch(Number(2).deduplicated(false))
                        case .collects:
                            let (result, reads) = await QueryReads.collecting { try? await client.fetch(Number(2)) }
                            // The collected regions are those of the failed fetch, and count as read by the run, too.
                            #expect(reads == [source.region])
                            guard let result else { throw TestError("not found") }
                            return result
                        }
                    } catch {
                        if fallsBack { return -1 }
                        throw error
                    }
                }
            } adjusting: {
                $0.ttl = .infinity
                $0.retry = QueryRetry(limit: 0)
            }
        }

        @Test(arguments: Kind.allCases, [true, false])
        func `R18 a failed inner fetch hands over what it has read`(_ kind: Kind, _ fallsBack: Bool) async {
            gate.open()
            let client = bench(kind, fallsBack: fallsBack).client
            let store = client.store(for: Number(1))
            let subscription = store.record(Recorder())
            await client.settled()
            #expect(fallsBack ? store.value == -1 : store.state.error as? TestError == TestError("not found"))
            source.change(to: 1, in: client)
            await client.settled()
            #expect(store.value == 1 && store.state.error == nil && !store.isStale)
            subscription.cancel()
        }

        @Test(arguments: [Kind.joins, .runsPrivately], [true, false])
        func `R18 a fetch that times out depends on what its inner fetch has read so far`(_ kind: Kind, _ changesEarly: Bool) async {
            let bench = bench(kind, fallsBack: false)
            let client = bench.client
            let store = client.store(for: Number(1).timeout(.seconds(5)))
            let subscription = store.record(Recorder())
            await gate.arrived()
            if changesEarly { source.change(to: 1, in: client) }
            bench.clock.advance(by: .seconds(5))
            gate.open()
            await client.settled()
            if !changesEarly {
                #expect((store.state.error as? QueryError)?.code == .timeout)
                source.change(to: 1, in: client)
                await client.settled()
            }
            #expect(store.value == 1 && store.state.error == nil && !store.isStale)
            subscription.cancel()
        }

        @Test(arguments: Kind.allCases)
        func `R18 a change between the failure of an inner fetch and the outer end counts`(_ kind: Kind) async {
            let client = bench(kind, fallsBack: true).client
            let events = client.events
            let store = client.store(for: Number(1))
            let subscription = store.record(Recorder())
            await gate.arrived()
            // When the actor is free, the outer run has reached its wait.
            await outer.run {}
            outer.hold()
            gate.open()
            // A private run ends only when its caller continues.
            if kind != .runsPrivately {
                for await event in events where event.kind == .runFailed && event.path == ["number", 2] { break }
            }
            source.change(to: 1, in: client)
            outer.release()
            await client.settled()
            #expect(store.value == 1 && !store.isStale)
            subscription.cancel()
        }
    }
}
