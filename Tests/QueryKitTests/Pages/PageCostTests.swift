import TestSupport
import Testing

@testable import QueryKit

/// The cost of one more page as counted operations, because time depends on the machine.
struct PageCostTests {
    /// Counts how often ids and values are compared, hashed and measured.
    private struct Costs: Equatable, Sendable {
        var comparisons = 0
        var hashes = 0
        var measurements = 0
    }

    private final class Meter: Hashable, Sendable {
        private let costs = Lock(Costs())

        func count(_ change: (inout Costs) -> Void) { costs.withLock { change(&$0) } }

        func take() -> Costs { costs.exchange(Costs()) }

        static func == (left: Meter, right: Meter) -> Bool { left === right }

        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    private struct Counted: Hashable, ByteEstimating, Sendable {
        let number: Int
        let meter: Meter

        static func == (left: Counted, right: Counted) -> Bool {
            left.meter.count { $0.comparisons += 1 }
            return left.number == right.number
        }

        func hash(into hasher: inout Hasher) {
            meter.count { $0.hashes += 1 }
            hasher.combine(number)
        }

        var heapByteCount: Int {
            meter.count { $0.measurements += 1 }
            return 100
        }
    }

    /// Endless pages in one or both directions; each page reads its own region.
    private struct Endless: PaginatedRequest {
        let meter: Meter
        var maxPages: Int?

        var path: QueryPath { ["endless"] }
        var initialPageID: Counted { Counted(number: 0, meter: meter) }

        func pageID(after page: QueryPage<Counted, Counted>, in pages: QueryPages<Counted, Counted>) -> Counted? {
            Counted(number: page.id.number + 1, meter: meter)
        }

        func pageID(before page: QueryPage<Counted, Counted>, in pages: QueryPages<Counted, Counted>) -> Counted? {
            Counted(number: page.id.number - 1, meter: meter)
        }

        func fetchPage(_ id: Counted, in context: QueryContext, with continuation: QueryContinuation<Counted>) async throws -> Counted {
            QueryReads.note([Library.region(id.number)])
            return id
        }
    }

    private func store(_ meter: Meter, maxPages: Int? = nil, _ client: QueryClient) -> QueryStore<Endless.State> {
        client.store(for: Endless(meter: meter, maxPages: maxPages))
    }

    @Test(arguments: [true, false])
    func `R25 one more page needs as few comparisons with 600 pages as with 20, at either end`(isNext: Bool) async throws {
        let client = QueryClient(configuration: .isolated)
        let meter = Meter()
        let store = store(meter, client)
        var costs: [Costs] = []
        for count in [20, 600] {
            while (store.value?.count ?? 0) < count { try await store.fetchNextPage() }
            _ = meter.take()
            let after = try await isNext ? store.fetchNextPage() : store.fetchPreviousPage()
            costs.append(meter.take())
            #expect(after.count == count + 1)
        }
        #expect(costs[0] == costs[1])
        #expect(costs[0].hashes < 10 && costs[0].comparisons < 10)
        #expect(store.value?.first?.id.number == (isNext ? 0 : -2))
    }

    @Test func `R25 one more page in a window of 600 pages needs as few comparisons as in one of 20`() async throws {
        let client = QueryClient(configuration: .isolated)
        let meter = Meter()
        var costs: [Costs] = []
        for count in [20, 600] {
            let store = store(meter, maxPages: count, client)
            for _ in 0..<(count + 3) { try await store.fetchNextPage() }
            _ = meter.take()
            let after = try await store.fetchNextPage()
            costs.append(meter.take())
            #expect(after.map(\.id.number) == Array(4..<(count + 4)))
        }
        #expect(costs[0] == costs[1])
    }

    @Test func `R25 refetching one of 600 pages compares only that page`() async throws {
        let client = QueryClient(configuration: .isolated)
        let meter = Meter()
        let store = store(meter, client)
        for _ in 0..<600 { try await store.fetchNextPage() }
        let id = try #require(store.value)[300].id
        _ = meter.take()
        #expect(try await store.fetchPage(id).count == 600)
        let costs = meter.take()
        #expect(costs.comparisons < 32 && costs.hashes < 32)
    }

    @Test func `R18 R25 a store with 600 pages keeps few regions, but reacts to a change of any page`() async throws {
        let client = QueryClient(configuration: .isolated)
        let store = store(Meter(), client)
        for _ in 0..<600 { try await store.fetchNextPage() }
        #expect(store.core.reads.count <= RegionSet.limit + 1)
        for number in [0, 300, 599] {
            store.setValue(try #require(store.value))
            #expect(!store.isInvalidated)
            client.changed([Library.region(number)])
            #expect(store.isInvalidated)
        }
    }
}
