//! The sample of the README: a request, a mutation,
//! and a view that shows both.
import QueryKit

#if canImport(SwiftUI)
    import SwiftUI
#endif

// snippet.domain
nonisolated struct Trip: Hashable, Identifiable, Sendable {
    let name: String

    var id: String { name }
}

nonisolated protocol TripRepository: Sendable {
    func all() async throws -> [Trip]
    func add(_ trip: Trip) async throws
}
// snippet.end

actor Trips: TripRepository {
    private var trips = [Trip(name: "Oslo")]
    private(set) var reads = 0

    func all() -> [Trip] {
        reads += 1
        return trips
    }

    func add(_ trip: Trip) throws {
        if trip.name == "Atlantis" { throw NoSuchPlace() }
        trips.append(trip)
    }
}

struct NoSuchPlace: Error {}

// snippet.dependency
nonisolated extension QueryDependencies {
    var trips: QueryDependency<any TripRepository> { .init(Trips()) }
}
// snippet.end

// snippet.screen
nonisolated extension Trip {
    static let all = InlineQuery("trips/all") { context in
        try await context.trips.all()
    }

    static let add = InlineMutation("trips/add") { trip, context in
        try await context.trips.add(trip)
    }
    .optimistic { trip, layers in layers.update(all) { $0 += [trip] } }
    .invalidates("trips/**")
}

#if canImport(SwiftUI)
    struct TripsView: View {
        @State.Query(Trip.all.ttl(.seconds(60)), default: []) var trips
        @State.Mutation(Trip.add) var add

        var body: some View {
            List {
                ForEach(trips) { trip in Text(trip.name) }
                Button("Add") {
                    _ = try? add.submit(Trip(name: "Lisbon"))
                }
                if let error = add.error { Text("Not added: \(error)") }
            }
            .refreshable { await $trips.refetch().finished() }
        }
    }
#endif
// snippet.end

// snippet.use
// Two screens of one request, without SwiftUI: each shows
// what the view above shows.
@MainActor
final class TripsModel {
    @SharedQuery(Trip.all.ttl(.seconds(60)), default: []) var trips
    @SharedMutation(Trip.add) var add
}

let repository = Trips()
var context = QueryContext()
context.trips = repository
let client = QueryClient.test(context: context)
let (first, second) = QueryClient.with(client) {
    (TripsModel(), TripsModel())
}
_ = (first.trips, second.trips)
await client.settled()
print(await repository.reads)  // 1: two screens, one fetch

try first.add.submit(Trip(name: "Lisbon"))
// Shown before the repository has it.
print(second.trips.map(\.name))  // ["Oslo", "Lisbon"]
await client.settled()

try first.add.submit(Trip(name: "Atlantis"))
await client.settled()
// The layer of the failed call is removed.
print(second.trips.map(\.name))  // ["Oslo", "Lisbon"]
// snippet.end
// snippet.hide
let names = second.trips.map(\.name)
precondition(names == ["Oslo", "Lisbon"], "\(names)")
precondition(first.add.error is NoSuchPlace)
let reads = await repository.reads
precondition(reads == 2, "\(reads)")
// snippet.show
