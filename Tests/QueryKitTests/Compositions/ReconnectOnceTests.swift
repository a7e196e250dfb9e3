import QueryKit
import TestSupport
import Testing

extension Compositions {
    /// A paused run continues once, at whatever moment the network returns.
    struct ReconnectOnceTests {
        @Test(arguments: [QueryNetworkMode.online, .offlineFirst])
        func `R12 a run that has just paused is not repeated by its reconnect trigger`(_ mode: QueryNetworkMode) async {
            let network = ManualNetworkObserver()
            let bench = TestBench(network: network) { call in
                if !network.isOnline { throw QueryError(.networkUnavailable) }
                return call.number
            }
            let client = bench.client
            let store = client.store(for: Number(1).networkMode(mode).refetch(on: .reconnect))
            let subscription = store.record(Recorder())
            await client.settled()
            var repeated = 0
            // A run that doesn't wait for the triggers is repeated in about one of 200 rounds.
            for round in 0..<(mode == .online ? 800 : 200) {
                network.set(isOnline: false)
                store.invalidate()
                await reaches { store.isPaused }
                for _ in 0..<round % 8 { await Task.yield() }
                let count = bench.backend.count
                network.set(isOnline: true)
                await client.settled()
                bench.clock.advance(by: .seconds(1))
                await client.settled()
                if bench.backend.count != count + 1 { repeated += 1 }
            }
            #expect(repeated == 0)
            subscription.cancel()
        }
    }
}
