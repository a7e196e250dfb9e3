// message: type 'Trips' does not conform to protocol 'QueryStateProtocol'
import QueryKit

struct Trips: QueryRequest {
    func fetch(in context: QueryContext, with continuation: QueryContinuation<[String]>) async throws -> [String] { [] }
}

struct TripsScreen {
    @SharedQuery<Trips> var trips: [String]?
}
