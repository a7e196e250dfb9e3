import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// What the main actor shows of a consistent request that it reads for the first time while it already shows others.
@MainActor
struct FirstLookTests {
    private let client = QueryClient.test()

    private func store(_ name: String, isConsistent: Bool = true) -> QueryStore<QueryState<Int?, Int>> {
        client.store(for: InlineQuery<Int>(["first", name]) { _ in 0 }.ttl(.infinity).consistent(isConsistent))
    }

    /// Stores with the value 1, observed by something other than the main actor.
    private func observed(_ stores: [QueryStore<QueryState<Int?, Int>>]) async -> [QuerySubscription] {
        let subscriptions = stores.map { $0.record(Recorder()) }
        await client.settled()
        set(1, stores)
        await client.settled()
        return subscriptions
    }

    private func set(_ value: Int, _ stores: [QueryStore<QueryState<Int?, Int>>]) {
        client.batch { for store in stores { store.setValue(value) } }
    }

    @Test func `R18 a request first read later in a turn agrees with those already shown, and both update together`() async {
        let (list, total) = (store("list"), store("total"))
        let subscriptions = await observed([list, total])
        let shownList = QueryMirror(list)
        set(2, [list, total])
        let shownTotal = QueryMirror(total)
        let query = SharedQuery(InlineQuery<Int>("first/total").ttl(.infinity).consistent(), client: client)
        #expect([shownList.value, shownTotal.value, query.wrappedValue] == [1, 1, 1])
        // The same in a later turn, when there are changes that are not shown yet.
        await client.settled()
        #expect([shownList.value, shownTotal.value, query.wrappedValue] == [2, 2, 2])
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `R18 a first read in a later turn also agrees with what is already shown`() async {
        let (list, total) = (store("list"), store("total"))
        let subscriptions = await observed([list, total])
        let shownList = QueryMirror(list)
        set(2, [list, total])
        await client.settled()
        set(3, [list, total])
        let shownTotal = QueryMirror(total)
        #expect([shownList.value, shownTotal.value] == [2, 2])
        await client.settled()
        #expect([shownList.value, shownTotal.value] == [3, 3])
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `R18 a first read shows the current state if nothing else is shown or the request is not consistent`() async {
        let (list, total, other) = (store("list"), store("total"), store("other", isConsistent: false))
        let subscriptions = await observed([list, total, other])
        var shownList: QueryMirror<QueryState<Int?, Int>>? = QueryMirror(list)
        set(2, [list, total, other])
        #expect(QueryMirror(other).value == 2)
        #expect(shownList?.value == 1)
        shownList = nil
        #expect(QueryMirror(total).value == 2)
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `R18 a first read after a session has ended shows nothing of that session`() async {
        let (list, total) = (store("list"), store("total"))
        let subscriptions = await observed([list, total])
        let shownList = QueryMirror(list)
        client.reset(session: "other")
        let shownTotal = QueryMirror(total)
        #expect(shownList.value != 1 && shownTotal.value != 1)
        await client.settled()
        #expect([shownList.value, shownTotal.value] == [0, 0])
        for subscription in subscriptions { subscription.cancel() }
    }

    @Test func `R18 a first read of a request without a value shows it as loading, even if other requests show values`() async {
        let gate = Gate()
        let (list, total) = (
            store("list"),
            client.store(
                for: InlineQuery<Int>("first/total") { _ in
                    try await gate.pass()
                    return 7
                }.consistent()
            )
        )
        let subscriptions = await observed([list])
        let shownList = QueryMirror(list)
        let shownTotal = QueryMirror(total)
        #expect(shownTotal.isFetching && shownTotal.value == nil)
        gate.open()
        await client.settled()
        #expect((shownList.value, shownTotal.value) == (1, 7))
        for subscription in subscriptions { subscription.cancel() }
    }
}
