// message: Name the state of the property: write @SharedQuery<DefaultedState<Trips.State>> instead of @SharedQuery<Trips>
import QueryKit

struct Trips: QueryRequest {
    let person: String

    func fetch(in context: QueryContext, with continuation: QueryContinuation<[String]>) async throws -> [String] { [] }
}

struct TripsScreen {
    @SharedQuery<Trips> var trips: [String]?

    init(person: String) { _trips = SharedQuery(Trips(person: person), default: []) }
}
