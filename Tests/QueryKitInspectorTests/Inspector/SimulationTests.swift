import Foundation
import TestSupport
import Testing

@testable import QueryKit
@testable import QueryKitInspector

/// What a page simulates, and how long it lasts.
struct SimulationTests {
    private let bench = TestBench(network: ManualNetworkObserver(isOnline: true))

    private func inspector(allowsActions: Bool = true) async throws -> QueryInspector {
        try await QueryInspector.start(bench.client, token: "secret", allowsActions: allowsActions, announce: { _ in })
    }

    private func act(_ inspector: QueryInspector, _ action: String, _ more: String) async -> Int? {
        await inspector.act(#"{"client":0,"action":"\#(action)",\#(more)}"#)?.json["count"] as? Int
    }

    private var summary: String { StateSummary(bench.client.store(for: Number(1)).state).description }

    private var isNetworkSimulated: Bool? { bench.client.core.network?.isSimulated }

    /// The id of the store for a number.
    private func id(_ number: Int) throws -> Int {
        let inspection = bench.client.inspection
        return try #require(inspection.rows(inspection.marks().map(\.id)).first { $0.path == "number/\(number)" }?.id)
    }

    @Test func `stopping ends what the page has simulated`() async throws {
        let inspector = try await inspector()
        for number in 1...2 { bench.client.setValue(number, for: Number(number)) }
        #expect(await act(inspector, "network", #""available":false"#) == 1)
        #expect(await act(inspector, "load", "\"id\":\(try id(1))") == 1)
        #expect(await act(inspector, "fail", "\"id\":\(try id(2))") == 1)
        #expect(summary == "loading")
        #expect(isNetworkSimulated == true)
        await inspector.stop()
        #expect(summary == "1")
        #expect(bench.client.store(for: Number(2)).state.error == nil)
        #expect(isNetworkSimulated == false)
        #expect(bench.client.core.network?.isOffline == false)
    }

    @Test func `stopping an inspector leaves what another one has simulated`() async throws {
        let (first, second) = (try await inspector(), try await inspector())
        bench.client.setValue(1, for: Number(1))
        #expect(await act(first, "network", #""available":false"#) == 1)
        #expect(await act(first, "network", #""available":null"#) == 1)
        #expect(await act(second, "network", #""available":false"#) == 1)
        #expect(await act(second, "load", "\"id\":\(try id(1))") == 1)
        await first.stop()
        #expect(summary == "loading")
        #expect(isNetworkSimulated == true)
        await second.stop()
        #expect(isNetworkSimulated == false)
    }

    @Test func `an inspector that has stopped accepts no action`() async throws {
        let inspector = try await inspector()
        // The server is still there, as it is for a moment when the inspector stops.
        await inspector.recorder.stop("over")
        let reply = try #require(await inspector.act(#"{"client":0,"action":"network","available":false}"#))
        #expect(reply.status == 404)
        #expect(isNetworkSimulated == false)
        await inspector.stop()
    }

    @Test func `closing the page leaves what it has simulated`() async throws {
        let inspector = try await inspector()
        let page = try #require(await Page.open(inspector.port))
        _ = await page.next("stores")
        #expect(await act(inspector, "network", #""available":false"#) == 1)
        page.close()
        // Asks the recorder until it has noticed.
        while await inspector.recorder.pageCount > 0 {}
        #expect(isNetworkSimulated == true)
        await inspector.stop()
    }

    @Test func `the export shows what is simulated and what waits`() async throws {
        let inspector = try await inspector()
        bench.client.setValue(1, for: Number(1))
        let subscriptions = [2, 3].map { bench.client.store(for: Number($0)).subscribe(with: QueryEventHandler { _, _ in }) }
        await bench.client.settled()
        #expect(await act(inspector, "stale", "\"id\":\(try id(1))") == 1)
        #expect(await act(inspector, "network", #""available":false"#) == 1)
        bench.client.invalidate(Number(2))
        let session = try #require(await inspector.get("/api/export")?.json)
        let rows = try #require((session["stores"] as? [String: [[String: Any]]])?["0"])
        let flags = Dictionary(uniqueKeysWithValues: rows.map { ($0["path"] as? String ?? "", $0["flags"] as? [String] ?? []) })
        #expect(
            flags == [
                "number/1": ["stale", "invalidated", "simulated"], "number/2": ["paused", "stale", "invalidated"], "number/3": ["stale"],
            ]
        )
        let surroundings = try #require((session["surroundings"] as? [String: [String: Any]])?["0"])
        let network = try #require(surroundings["network"] as? [String: Any])
        #expect(network["available"] as? Bool == false)
        #expect(network["simulated"] as? Bool == true)
        #expect(network["waitingRuns"] as? Int == 1)
        for subscription in subscriptions { subscription.cancel() }
        await inspector.stop()
    }
}
