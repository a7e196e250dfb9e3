// message: cannot form key path to main actor-isolated property 'trips'
// settings: -default-isolation MainActor
import QueryKit

protocol TripRepository: Sendable {
    func all() async throws -> [String]
}

struct LiveTrips: TripRepository {
    func all() async throws -> [String] { [] }
}

@MainActor extension QueryDependencies {
    var trips: QueryDependency<any TripRepository> { .init(LiveTrips()) }
}

struct Trips: QueryRequest {
    func fetch(in context: QueryContext, with continuation: QueryContinuation<[String]>) async throws -> [String] {
        try await context.trips.all()
    }
}
