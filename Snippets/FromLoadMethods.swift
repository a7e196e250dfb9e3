//! A view model with load(), and the same view model with a shared
//! query. Both run here, against a server that counts its calls.
import Observation
import QueryKit
import QueryKitTesting

// snippet.domain
nonisolated struct Trip: Hashable, Sendable {
    let name: String
}

nonisolated protocol TripRepository: Sendable {
    func all() async throws -> [Trip]
    func add(_ trip: Trip) async throws
}
// snippet.end

actor Server: TripRepository {
    private var trips = [Trip(name: "Oslo")]
    private(set) var reads = 0

    func all() -> [Trip] {
        reads += 1
        return trips
    }

    func add(_ trip: Trip) throws {
        if trip.name.isEmpty { throw NameMissing() }
        trips.append(trip)
    }
}

struct NameMissing: Error {}

// snippet.before
@MainActor @Observable
final class LoadingTripsModel {
    private(set) var trips: [Trip] = []
    private(set) var isLoading = false
    private(set) var error: (any Error)?
    private let repository: any TripRepository

    init(repository: any TripRepository) {
        self.repository = repository
    }

    /// Called by `.task`, by pull to refresh, after each change,
    /// and on return to the app.
    func load() async {
        isLoading = true
        defer { isLoading = false }
        do {
            trips = try await repository.all()
            error = nil
        } catch {
            self.error = error
        }
    }

    func add(_ name: String) async {
        do {
            try await repository.add(Trip(name: name))
            await load()
        } catch {
            self.error = error
        }
    }
}
// snippet.end

// snippet.request
nonisolated extension QueryDependencies {
    var trips: QueryDependency<any TripRepository> { .required() }
}

nonisolated extension Trip {
    static let all = InlineQuery("trips/all") { context in
        try await context.trips.all()
    }

    static let add = InlineMutation("trips/add") {
        (trip: Trip, context) in try await context.trips.add(trip)
    }
    .invalidates("trips/**")
}
// snippet.end

// snippet.after
@MainActor @Observable
final class TripsModel: QueryModel {
    let queryClient: QueryClient

    @ObservationIgnored
    @SharedQuery(Trip.all.ttl(.seconds(60)), default: []) var trips
    @ObservationIgnored @SharedMutation(Trip.add) private var addTrip

    var isLoading: Bool { $trips.isLoading }
    var error: (any Error)? { addTrip.error ?? $trips.error }

    init(queryClient: QueryClient) { self.queryClient = queryClient }

    func refresh() async { await $trips.refetch().finished() }

    func add(_ name: String) throws {
        try addTrip.submit(Trip(name: name))
    }
}
// snippet.end

// snippet.optimistic
nonisolated extension Trip {
    static let addAtOnce = add.optimistic { trip, layers in
        layers.update(all) { $0.append(trip) }
    }
}
// snippet.end

// snippet.compare
// Before: a list and a map load separately, and the map doesn't
// know about the new trip.
let loading = Server()
let (list, map) = (
    LoadingTripsModel(repository: loading),
    LoadingTripsModel(repository: loading)
)
await list.load()
await map.load()
await list.add("Lisbon")
print(await loading.reads, list.trips.count, map.trips.count)  // 3 2 1

// After: they share one fetch and one value.
let server = Server()
var context = QueryContext()
context.trips = server
let client = QueryClient.test(context: context)
let (newList, newMap) = (
    TripsModel(queryClient: client), TripsModel(queryClient: client)
)
_ = (newList.trips, newMap.trips)  // reading fetches
await client.settled()
try newList.add("Lisbon")
await client.settled()
print(await server.reads)  // 2
print(newList.trips.count, newMap.trips.count)  // 2 2
// snippet.end
// snippet.hide
let before = (await loading.reads, list.trips.count, map.trips.count)
precondition(before == (3, 2, 1), "\(before)")
let after = (
    await server.reads, newList.trips.count, newMap.trips.count
)
precondition(after == (2, 2, 2), "\(after)")
precondition(
    !list.isLoading && list.error == nil && !newList.isLoading
        && newList.error == nil
)
try newList.add("")
await client.settled()
precondition(newList.error is NameMissing && newList.trips.count == 2)
await newList.refresh()
let refreshed = await server.reads
precondition(refreshed == 3)
_ = try await client.mutate(Trip.addAtOnce, with: Trip(name: "Bergen"))
await client.settled()
precondition(newMap.trips.count == 3)
// snippet.show

// snippet.test
// The test pauses the fetch, so that it can check the spinner
// without sleeping or polling.
let gate = Gate()
let held = QueryClient.test()
let slow = InlineQuery("trips/all") { _ in
    try await gate.pass()
    return [Trip(name: "Oslo")]
}
let shown = SharedQuery(slow, default: [], client: held)
_ = shown.wrappedValue
print(shown.isLoading)  // true
gate.open()
await held.settled()
print(shown.isLoading)  // false
print(shown.wrappedValue.map(\.name))  // ["Oslo"]
// snippet.end
// snippet.hide
precondition(
    !shown.isLoading && shown.wrappedValue == [Trip(name: "Oslo")]
)
// snippet.show
