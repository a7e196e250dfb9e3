// A dependency, its protocol and its default, declared without a word about isolation.
import QueryKit

protocol TripRepository: Sendable {
    func all() async throws -> [String]
}

struct LiveTrips: TripRepository {
    func all() async throws -> [String] { [] }
}

extension QueryDependencies {
    var trips: QueryDependency<any TripRepository> { .init(LiveTrips()) }
}

struct Trips: QueryRequest {
    func fetch(in context: QueryContext, with continuation: QueryContinuation<[String]>) async throws -> [String] {
        try await context.trips.all()
    }
}
