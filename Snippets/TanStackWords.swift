//! The words of TanStack Query in QueryKit: each line of the article
//! Coming from TanStack Query, compiled.
import Foundation
import QueryKit

#if canImport(SwiftUI)
    import SwiftUI
#endif

nonisolated struct Trip: Hashable, Codable, Identifiable, Sendable {
    let id: Int
    var name = ""
}

actor Trips {
    private var trips = [Trip(id: 1, name: "Oslo")]

    func all() -> [Trip] { trips }

    func trip(_ id: Int) -> Trip? { trips.first { $0.id == id } }

    func add(_ trip: Trip) { trips.append(trip) }

    func page(_ number: Int) -> [Trip] { number == 0 ? trips : [] }
}

nonisolated extension QueryDependencies {
    var trips: QueryDependency<Trips> { .init(Trips()) }
}

// snippet.query
struct AllTrips: QueryRequest {
    var path: QueryPath { ["trips", "all"] }

    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<[Trip]>
    ) async throws -> [Trip] {
        await context.trips.all()
    }
}
// snippet.end

struct TripDetails: QueryRequest {
    let id: Int

    var path: QueryPath { ["trips", "details", id] }

    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<Trip?>
    ) async throws -> Trip? {
        await context.trips.trip(id)
    }
}

// snippet.mutation
struct AddTrip: DurableMutationRequest {
    var scope: String? { "trips" }

    func mutate(
        with trip: Trip,
        in context: QueryContext,
        with continuation: QueryContinuation<Void>
    ) async throws {
        await context.trips.add(trip)
    }

    // onMutate, and the rollback of onError.
    func optimistic(with trip: Trip, in layers: inout QueryLayers) {
        layers.update(AllTrips(), default: []) { $0.append(trip) }
    }

    // onSettled: invalidateQueries({ queryKey: ['trips'] })
    func invalidates(with trip: Trip, value: Void) -> [QueryPattern] {
        ["trips/**"]
    }
}
// snippet.end

// snippet.pages
struct TripFeed: PaginatedRequest {
    var path: QueryPath { ["trips", "feed"] }

    // initialPageParam
    var initialPageID: Int { 0 }

    var maxPages: Int? { 10 }

    // getNextPageParam
    func pageID(
        after page: QueryPage<Int, [Trip]>,
        in pages: QueryPages<Int, [Trip]>
    ) -> Int? {
        page.value.isEmpty ? nil : page.id + 1
    }

    func fetchPage(
        _ number: Int,
        in context: QueryContext,
        with continuation: QueryContinuation<[Trip]>
    ) async throws -> [Trip] {
        await context.trips.page(number)
    }
}
// snippet.end

let id = 1
let isSignedIn = true

// queryOptions
let trip = InlineQuery("trips", id) { context in
    await context.trips.trip(id)
}

// Options.
let cache = MemoryQueryCache()
let old = AllTrips().ttl(.seconds(60))
let always = AllTrips().ttl(.infinity)
let kept = AllTrips().keep(for: .seconds(300))
let enabled = AllTrips().enabled(isSignedIn)
let dependent = TripDetails(id: id).dependent(on: AllTrips())
let placeholder = AllTrips().placeholder([])
let previous = TripDetails(id: id).keepingPrevious()
let polled = AllTrips().polling(every: .seconds(30))
let retried = AllTrips().retry(limit: 3, backoff: .exponential())
let online = AllTrips().networkMode(.online)
let loud = AllTrips().notifyEqual()
let tagged = AllTrips().tagged("offline")
let persisted = AllTrips().persisted(in: cache)

var configuration = QueryClient.Configuration()
configuration.refetchesWhenActive = false
configuration.refetchesOnReconnect = false
configuration.setDefaults(matching: "trips/**") {
    $0.ttl = .seconds(60)
}

var context = QueryContext()
let network = ManualNetworkObserver()
let activity = ManualActivityObserver()
context.networkObserver = network
context.activityObserver = activity

let client = QueryClient(context: context, configuration: configuration)
let trips = [Trip(id: 1, name: "Oslo")]
let yesterday = Date.now.addingTimeInterval(-24 * 3600)

// The client.
let value = try await client.fetch(AllTrips())
let ensured = try await client.fetch(AllTrips().ttl(.infinity))
await client.prefetch(AllTrips())
let seen = client.value(for: AllTrips())
client.setValue(trips, for: AllTrips())
client.updateValue(for: AllTrips()) { $0.append(Trip(id: 2)) }
await client.invalidate("trips/**").finished()
client.invalidate(["trips", "details", id])
client.invalidate("trips/**", refetch: .none)
client.refetch("trips/**")
client.cancel("trips/**")
client.reset("trips/**")
client.remove("trips/**")
client.clear()
let running = client.runningCount(matching: "trips/**")
let matching = client.stores(
    matching: "trips/**",
    of: AllTrips.State.self
)
let details = client.group([TripDetails(id: 1), TripDetails(id: 2)])
let states = details.states
let seeded = client.store(
    for: AllTrips(),
    initialValue: trips,
    updatedAt: yesterday
)
let count = seeded.select { $0.value?.count }
let archive = try await client.dehydrate()
await client.hydrate(from: archive)
let snapshot = client.snapshot()
let events = client.events
let resumed = try await client.resumeMutations(of: [AddTrip.self])

// snippet.model
@MainActor
final class TripsModel: QueryModel {
    let queryClient: QueryClient

    @SharedQuery(AllTrips(), default: []) var trips
    @SharedQuery(TripFeed()) var feed
    @SharedMutation(AddTrip()) var add

    init(queryClient: QueryClient) { self.queryClient = queryClient }

    var names: [String] { trips.map(\.name) }
    var showsSpinner: Bool { $trips.isLoading }

    func addAndWait(_ trip: Trip) async throws {
        try await add.mutate(with: trip)
    }

    func addInBackground(_ trip: Trip) throws {
        try add.submit(
            trip,
            onSuccess: { _ in print("added") },
            onFailure: { print($0) },
            onEnd: { _ in print("ended") }
        )
    }

    func more() async throws { try await $feed.fetchNextPage() }
}
// snippet.end

#if canImport(SwiftUI)
    struct TripsView: View {
        @State.Query(AllTrips(), default: []) var trips
        @State.Mutation(AddTrip()) var add
        @Environment(\.queryClient) var client

        var body: some View {
            Text(add.isLoading ? "Adding…" : "\(trips.count) trips")
        }
    }

    struct Root: View {
        let client: QueryClient

        var body: some View {
            TripsView().environment(\.queryClient, client)
        }
    }
#endif

let model = TripsModel(queryClient: client)
_ = model.names
await client.settled()
try await model.addAndWait(Trip(id: 2, name: "Lisbon"))
try model.addInBackground(Trip(id: 3, name: "Bergen"))
try await model.more()
await client.settled()
print(model.names)  // ["Oslo", "Lisbon", "Bergen"]
// snippet.hide
let names = model.names
precondition(names == ["Oslo", "Lisbon", "Bergen"], "\(names)")
precondition(
    value == trips && seen == trips && seeded.value != nil
        && !model.showsSpinner
)
precondition(
    client.store(for: AddTrip()).history.count == 2
        && resumed.resumed.isEmpty
)
// snippet.show
