import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

private let table = QueryRegion(source: "diary", name: "entries")

/// A mutation that shows its argument as number 1 until it may pass.
private struct Show: MutationRequest {
    let gate: Gate
    static func == (left: Show, right: Show) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
    var path: QueryPath { ["show"] }

    func mutate(with number: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        try await gate.pass()
        return number
    }

    func optimistic(with number: Int, in layers: inout QueryLayers) { layers.update(Number()) { $0 = number } }
}

/// A request whose value says when it is described.
private struct Private: QueryRequest {
    struct Secret: CustomStringConvertible {
        let described: Recorder<Int>
        var description: String {
            described.note(1)
            return String(repeating: "secret ", count: 1_000)
        }
    }

    let described: Recorder<Int>
    static func == (left: Private, right: Private) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
    var path: QueryPath { "private" }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<Secret>) async throws -> Secret {
        Secret(described: described)
    }
}

struct StoreRowTests {
    private let bench = TestBench { call in
        QueryReads.note([QueryRegion(source: "diary", name: "entries", partition: "\(call.id)")])
        return call.number
    }
    private var inspection: ClientInspection { bench.client.inspection }

    private func row(_ path: String = "number/1") throws -> StoreRow {
        try #require(inspection.rows(inspection.marks().map(\.id)).first { $0.path == path })
    }

    private func fingerprint() throws -> Int {
        let id = try row().id
        return try #require(inspection.marks().first { $0.id == id }).fingerprint
    }

    @Test func `a row shows what observers see, with counts and the cause`() async throws {
        let store = bench.client.store(for: Number().ttl(.seconds(60)))
        #expect(try row().status == .idle)
        let subscription = store.record(Recorder())
        await bench.client.settled()
        let fresh = try row()
        #expect(fresh.elements == ["number", "1"])
        #expect(fresh.type == "Number")
        #expect(fresh.status == .success && fresh.flags == [])
        #expect(fresh.subscribers == 1 && fresh.runs == 1 && fresh.failures == 0 && fresh.byteCount == 8)
        #expect(fresh.ttl == .seconds(60) && fresh.updatedAt == bench.clock.now)
        #expect(fresh.cause == "subscribed" && fresh.error == nil && !fresh.isMutation)
        bench.clock.advance(by: .seconds(61))
        #expect(try row().flags == [.stale])
        bench.backend.behave { _ in throw TestError("secret") }
        _ = try? await store.fetch()
        #expect(try row().status == .failure && row().error == "TestError" && row().failures == 1 && row().runs == 2)
        subscription.cancel()
    }

    @Test func `a row shows runs and waiting callers, conditions, placeholders and simulations`() async throws {
        let gate = Gate()
        bench.backend.behave { call in
            try await gate.pass()
            return call.number
        }
        let tasks = (1...3).map { _ in Task { try await bench.client.fetch(Number()) } }
        await gate.arrived()
        while try row().waiters < 3 { await Task.yield() }
        #expect(try row().flags == [.fetching] && row().status == .loading && row().runs == 1)
        gate.open()
        for task in tasks { _ = try await task.value }
        _ = bench.client.store(for: Number(2).enabled(when: { _ in false }).placeholder(5)).record(Recorder())
        #expect(try row("number/2").flags.contains(.disabled))
        #expect(inspection.perform(.simulate(.failure, store: try row().id)) == 1)
        #expect(try row().flags.contains(.simulated) && row().status == .failure && row().error == "InspectorFailure")
    }

    @Test func `a fingerprint changes with the row, and only then`() async throws {
        let store = bench.client.store(for: Number())
        var known = [try fingerprint()]
        func expectChange(_ what: String, _ body: () async throws -> Void) async throws {
            try await body()
            await bench.client.settled()
            let now = try fingerprint()
            #expect(now != known.last, "\(what)")
            known.append(now)
        }
        var subscriptions: [QuerySubscription] = []
        try await expectChange("a subscription") { subscriptions.append(store.record(Recorder())) }
        try await expectChange("another subscription") { subscriptions.append(store.record(Recorder())) }
        try await expectChange("an equal result") {
            bench.backend.behave { _ in 1 }
            _ = try await store.fetch()
        }
        try await expectChange("a write") { store.setValue(9) }
        try await expectChange("an invalidation") { bench.client.invalidate("number/**", refetch: .none) }
        try await expectChange("another cause") { bench.client.invalidate(.all, refetch: .none) }
        try await expectChange("a simulation") { _ = inspection.perform(.simulate(.loading, store: try row().id)) }
        try await expectChange("the end of a subscription") { subscriptions.removeLast().cancel() }
        // Other stores and reading change nothing.
        bench.client.setValue(1, for: Number(2))
        _ = try row()
        _ = inspection.details(try row().id, includingValue: true)
        _ = inspection.matches(of: .all)
        #expect(try fingerprint() == known.last)
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `marks list each store once, and ids are not used again`() async throws {
        for id in 1...1_000 { bench.client.setValue(id, for: Number(id)) }
        let ids = inspection.marks().map(\.id)
        #expect(Set(ids).count == 1_000)
        bench.client.remove(.all)
        await bench.client.settled()
        #expect(inspection.marks().isEmpty && inspection.rows(ids).isEmpty)
        bench.client.setValue(1, for: Number(2_000))
        #expect(!ids.contains(try row("number/2000").id))
    }

    @Test func `an inspection doesn't keep the client alive, and is empty without it`() async throws {
        var client: QueryClient? = QueryClient(configuration: .isolated)
        client?.setValue(1, for: Number())
        let inspection = try #require(client?.inspection)
        #expect(inspection.marks().count == 1)
        let id = inspection.marks()[0].id
        client = nil
        #expect(inspection.isGone && inspection.marks().isEmpty && inspection.details(id, includingValue: true) == nil)
        #expect(inspection.surroundings() == nil && inspection.now == nil)
        #expect(inspection.perform(.invalidate(.pattern(.all))) == 0)
        #expect(try await inspection.journalRows().isEmpty)
    }

    @Test func `details list what was read, tags, settings of each observer and dependencies`() async throws {
        let store = bench.client.store(for: Number().tagged("a").ttl(.seconds(60)).keep(for: .seconds(90)))
        let subscription = store.record(Recorder())
        let other = bench.client.store(for: Number(2).dependent(on: Number().ttl(.infinity))).record(Recorder())
        await bench.client.settled()
        let details = try #require(inspection.details(try row().id, includingValue: true))
        #expect(details.value?.text == "1")
        #expect(details.reads == ["\(QueryRegion(source: "diary", name: "entries", partition: "1"))"])
        #expect(details.tags == ["a"] && details.caches == [] && details.layers == [])
        #expect(details.settings.contains(NamedText("retention", "1.5 min")))
        #expect(details.settings.contains { $0.name.hasPrefix("observer") && $0.name.hasSuffix(": ttl") && $0.text == "1 min" })
        #expect(details.fields.contains(NamedText("value updates", "1")))
        #expect(details.dependents.map(\.path) == ["number/2"] && details.dependencies == [])
        let dependent = try #require(inspection.details(try row("number/2").id, includingValue: false))
        #expect(dependent.dependencies == [StoreDetails.Link(id: try row().id, path: "number/1")])
        #expect(dependent.value == nil)
        subscription.cancel()
        other.cancel()
    }

    private final class Scan: ReadStatement {
        let text: String
        let plan = ["SCAN entries"]
        let reads = ["entries: the whole table"]
        let warnings = ["It scans all 2000 rows of entries."]

        init(_ text: String) { self.text = text }
    }

    @Test func `details list the statements that have read the value`() async throws {
        let lists = (10...29).reversed().map { RecurringRegions([table], readBy: Scan("SELECT \($0)")) }
        bench.backend.behave { call in
            for list in lists.prefix(call.number == 1 ? 20 : 2) { QueryReads.current?.note(list) }
            return call.number
        }
        _ = try await bench.client.fetch(Number())
        let many = try #require(inspection.details(try row().id, includingValue: false))
        #expect(many.statements.count == 16 && many.hasMoreStatements)
        _ = try await bench.client.fetch(Number())
        let few = try #require(inspection.details(try row().id, includingValue: false))
        #expect(few.statements.map(\.text) == ["SELECT 28", "SELECT 29"] && !few.hasMoreStatements)
        #expect(few.statements == bench.client.snapshot().stores[0].statements)
        #expect(few.statements[0].plan == ["SCAN entries"] && few.statements[0].reads == ["entries: the whole table"])
        #expect(few.statements[0].warnings == ["It scans all 2000 rows of entries."])
    }

    @Test func `a value is described only on request, and its text is limited`() async throws {
        let described = Recorder<Int>()
        _ = try await bench.client.fetch(Private(described: described))
        let id = try row("private").id
        _ = inspection.details(id, includingValue: false)
        #expect(described.count == 0)
        let value = try #require(inspection.details(id, includingValue: true, limit: 50)?.value)
        #expect(value.text.count == 50 && value.isTruncated)
        #expect(described.count > 0)
    }

    @Test func `details name the mutations of the layers over a value`() async throws {
        _ = try await bench.client.fetch(Number())
        let gate = Gate()
        let call = try bench.client.submit(Show(gate: gate), with: 9)
        await gate.arrived()
        let layers = try #require(inspection.details(try row().id, includingValue: false)).layers
        #expect(layers == [StoreDetails.Layer(mutation: "show", call: 1, label: "the mutation is under way")])
        #expect(try row().flags.contains(.optimistic))
        let rows = inspection.mutations(includingArguments: true)
        #expect(rows.map(\.status) == [.running] && rows[0].call == 1 && rows[0].arguments == "9" && rows[0].layers == ["number/1"])
        #expect(inspection.mutations(includingArguments: false)[0].arguments == nil)
        gate.open()
        _ = try await call.value
        #expect(inspection.mutations(includingArguments: true).map(\.status) == [.succeeded])
        #expect(inspection.mutations(includingArguments: true)[0].isPending == false)
    }
}
