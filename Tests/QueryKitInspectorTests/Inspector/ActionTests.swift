import TestSupport
import Testing

@testable import QueryKit
@testable import QueryKitInspector

/// What each action of a page does, and to which client.
struct ActionTests {
    @Test(
        arguments: [
            (#""action":"invalidate","id":7"#, .invalidate(.store(7))),
            (#""action":"refetch","id":7"#, .refetch(.store(7))),
            (#""action":"reset","id":7"#, .reset(.store(7))),
            (#""action":"remove","id":7"#, .remove(.store(7))),
            (#""action":"cancel","id":7"#, .cancel(.store(7))),
            (#""action":"invalidate","pattern":"a/*""#, .invalidate(.pattern("a/*"))),
            (#""action":"refetch","pattern":"a/*""#, .refetch(.pattern("a/*"))),
            (#""action":"reset","pattern":"a/*""#, .reset(.pattern("a/*"))),
            (#""action":"remove","pattern":"a/*""#, .remove(.pattern("a/*"))),
            (#""action":"cancel","pattern":"a/*""#, .cancel(.pattern("a/*"))),
            (#""action":"load","id":7"#, .simulate(.loading, store: 7)),
            (#""action":"fail","id":7"#, .simulate(.failure, store: 7)),
            (#""action":"stale","id":7"#, .simulate(.stale, store: 7)),
            (#""action":"restore","id":7"#, .restore(store: 7)),
            (#""action":"network","available":false"#, .setNetwork(available: false)),
            (#""action":"network","available":true"#, .setNetwork(available: true)),
            (#""action":"network","available":null"#, .setNetwork(available: nil)),
            (#""action":"advance","ms":1500.5"#, .advanceClock(by: .microseconds(1_500_500))),
        ] as [(String, InspectionAction)]
    )
    func `an action of the page is one of the client`(members: String, wanted: InspectionAction) throws {
        let action = try InspectorAction(Array(#"{"client":0,\#(members)}"#.utf8))
        #expect("\(try action.inspectionAction(TestBench().client.inspection))" == "\(wanted)")
    }

    @Test func `an action concerns the client that it names`() async throws {
        let benches = [TestBench(), TestBench()]
        var subscriptions: [QuerySubscription] = []
        for bench in benches {
            subscriptions.append(bench.client.store(for: Number(1)).subscribe(with: QueryEventHandler { _, _ in }))
            await bench.client.settled()
        }
        let inspector = try await QueryInspector.start(benches[0].client, token: "secret", allowsActions: true, announce: { _ in })
        await inspector.add(benches[1].client, name: "Import")
        #expect(await inspector.act(#"{"client":1,"action":"invalidate","pattern":"number/**"}"#)?.json["count"] as? Int == 1)
        #expect(await inspector.act(#"{"client":1,"action":"advance","ms":1000}"#)?.json["count"] as? Int == 1)
        for bench in benches { await bench.client.settled() }
        #expect(benches.map(\.backend.count) == [1, 2])
        #expect(benches.map(\.clock.now) == [.zero, QueryInstant.zero.advanced(by: .seconds(1))])
        for subscription in subscriptions { subscription.cancel() }
        await inspector.stop()
    }
}
