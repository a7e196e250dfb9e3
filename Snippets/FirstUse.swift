//! The shortest example: a path and a closure make a request, and a
//! property follows its value.
import QueryKit

// snippet.domain
nonisolated struct Trip: Equatable, Sendable {
    let name: String
}

nonisolated protocol TripRepository: Sendable {
    func all() async throws -> [Trip]
    func add(_ trip: Trip) async throws
}
// snippet.end

actor LiveTrips: TripRepository {
    private var trips = [Trip(name: "Oslo")]

    func all() -> [Trip] { trips }

    func add(_ trip: Trip) { trips.append(trip) }
}

// snippet.dependency
nonisolated extension QueryDependencies {
    var trips: QueryDependency<any TripRepository> {
        .init(LiveTrips())
    }
}
// snippet.end

// snippet.model
@MainActor
final class TripsModel {
    @SharedQuery(
        InlineQuery("trips/all") { context in
            try await context.trips.all()
        }
    ) var trips

    var title: String {
        trips.map { "\($0.count) trips" } ?? "Loading…"
    }

    func add(_ name: String) async throws {
        let add = InlineMutation("trips/add") { (trip: Trip, context) in
            try await context.trips.add(trip)
        }
        try await $trips.mutate(
            add.invalidates("trips/**"),
            with: Trip(name: name)
        )
    }
}
// snippet.end

// snippet.use
let client = QueryClient()
let model = QueryClient.with(client) { TripsModel() }
print(model.title)  // Loading…
await client.settled()
try await model.add("Lisbon")
await client.settled()
print(model.title)  // 2 trips
// snippet.end
// snippet.hide
let title = model.title
precondition(title == "2 trips", title)
// snippet.show

// snippet.address
// Without a closure, the same path addresses the store.
client.setValue([], for: InlineQuery<[Trip]>("trips/all"))
// snippet.end
