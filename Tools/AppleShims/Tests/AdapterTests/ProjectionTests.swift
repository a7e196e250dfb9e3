import QueryKit
import QueryKitTesting
import SwiftUI
import TestSupport
import Testing

/// What the projections of a property with a default and of one without offer alike.
private struct Place: Codable, Hashable, Sendable {
    var name: String
    var visits: Int
}

private func place(_ name: String) -> InlineQuery<Place> {
    InlineQuery("place", name) { context in
        try await context.opening.pass()
        return Place(name: name, visits: await context.visits.next())
    }
}

private let rename = InlineMutation("rename") { (place: Place, _: QueryContext) in }
    .optimistic { place, layers in layers.update(InlineQuery<Place>("place", "Oslo")) { $0 = place } }

/// Counts the fetches of places.
private actor Visits {
    private var count = 0

    func next() -> Int {
        count += 1
        return count
    }
}

extension QueryDependencies {
    fileprivate var visits: QueryDependency<Visits> { .init(Visits()) }
    /// Holds the fetches until the first drawing is done.
    fileprivate var opening: QueryDependency<Gate> { .init(Gate()) }
}

private struct PlaceView: View {
    @State.Query(place("Oslo").ttl(.infinity)) var plain
    @State.Query(place("Oslo").ttl(.infinity), default: Place(name: "nowhere", visits: 0)) var defaulted
    let onDraw: @MainActor (QueryProjection<QueryState<Place?, Place>>, QueryProjection<Place>) -> Void

    var body: some View {
        onDraw($plain, $defaulted)
        return Text("\(plain.value?.visits ?? -1) \(defaulted.visits)")
    }
}

private typealias Numbers = QueryPages<Int, [String]>

/// Five pages of one number each; the middle page is fetched first.
private let numbers = InlineQuery("numbers", firstPage: 0) { last, _ in
    last.id < 2 ? last.id + 1 : nil
} previousPage: { first, _ in
    first.id > -2 ? first.id - 1 : nil
} fetchPage: { page, _ in
    ["\(page)"]
}

private struct NumbersView: View {
    @State.Query(numbers) var plain
    @State.Query(numbers, default: Numbers([])) var defaulted
    let onDraw: @MainActor (QueryProjection<QueryState<Numbers?, Numbers>>, QueryProjection<Numbers>) -> Void

    var body: some View {
        onDraw($plain, $defaulted)
        return Text(defaulted.map(\.value).joined().joined(separator: " "))
    }
}

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct ProjectionTests {
    private let client = QueryClient.test()

    private func drawn() async throws -> (host: ViewHost<some View>, QueryProjection<QueryState<Place?, Place>>, QueryProjection<Place>) {
        var drawn: (QueryProjection<QueryState<Place?, Place>>, QueryProjection<Place>)?
        let host = ViewHost(PlaceView { drawn = ($0, $1) }.client(client))
        #expect(host.draw() == ["-1 0"])
        client.context.opening.open()
        await client.settled()
        #expect(host.draw() == ["1 1"])
        let (plain, defaulted) = try #require(drawn)
        return (host, plain, defaulted)
    }

    @Test func `both projections fetch, refetch and invalidate`() async throws {
        let (host, plain, defaulted) = try await drawn()
        #expect(try await plain.fetch().visits == 2)
        #expect(try await defaulted.fetch().visits == 3)
        await plain.refetch().finished()
        await defaulted.refetch().finished()
        await plain.invalidate().finished()
        await defaulted.invalidate().finished()
        #expect(host.draw() == ["7 7"])
    }

    @Test func `both projections write, by themselves and by a mutation, and show it at once`() async throws {
        let (host, plain, defaulted) = try await drawn()
        plain.setValue(Place(name: "Oslo", visits: 20))
        #expect(host.draw() == ["20 20"])
        #expect(defaulted.updateValue { $0.visits += 1 })
        #expect(host.draw() == ["21 21"])
        #expect(plain.updateValue { $0.visits += 1 })
        defaulted.setValue(Place(name: "Oslo", visits: 30))
        #expect(host.draw() == ["30 30"])
        try await plain.mutate(rename, with: Place(name: "Oslo", visits: 40))
        #expect(host.draw() == ["40 40"])
        try await defaulted.mutate(rename, with: Place(name: "Oslo", visits: 41))
        let calls = [
            try plain.setValue(Place(name: "Oslo", visits: 50), via: rename),
            try defaulted.setValue(Place(name: "Oslo", visits: 51), via: rename),
        ]
        #expect(host.draw() == ["51 51"])
        for call in calls { _ = try? await call.value }
        await client.settled()
    }

    @Test func `bindings of both projections write the whole value or a part of it`() async throws {
        let (host, plain, defaulted) = try await drawn()
        plain.binding(\.visits, or: 0).wrappedValue = 5
        #expect(host.draw() == ["5 5"])
        defaulted.binding(\.visits, or: 0).wrappedValue += 1
        #expect(host.draw() == ["6 6"])
        let binding = try #require(plain.binding)
        binding.wrappedValue.visits = 7
        defaulted.binding.wrappedValue.visits += 1
        #expect(host.draw() == ["8 8"])
        let saved = try #require(plain.binding(via: rename))
        saved.wrappedValue.visits = 9
        defaulted.binding(via: rename).wrappedValue.visits += 1
        #expect(host.draw() == ["10 10"])
        await client.settled()
    }

    @Test func `both projections show another request`() async throws {
        let (host, plain, defaulted) = try await drawn()
        plain.show(place("Rome").ttl(.infinity))
        defaulted.show(place("Paris").ttl(.infinity))
        _ = host.draw()
        await client.settled()
        #expect((plain.value?.name, defaulted.state.value.name) == ("Rome", "Paris"))
        #expect(plain.client === client && defaulted.client === client)
    }

    @Test func `both projections fetch pages in both directions`() async throws {
        var drawn: (QueryProjection<QueryState<Numbers?, Numbers>>, QueryProjection<Numbers>)?
        let host = ViewHost(NumbersView { drawn = ($0, $1) }.client(client))
        _ = host.draw()
        await client.settled()
        let (plain, defaulted) = try #require(drawn)
        _ = try await plain.fetchNextPage()
        _ = try await defaulted.fetchPreviousPage()
        _ = try await defaulted.fetchNextPage()
        _ = try await plain.fetchPreviousPage()
        #expect(host.draw() == ["-2 -1 0 1 2"])
    }
}
