// message: invalid redeclaration of synthesized property '_trips'
import Observation
import QueryKit

struct Trips: QueryRequest {
    func fetch(in context: QueryContext, with continuation: QueryContinuation<[String]>) async throws -> [String] { [] }
}

@MainActor @Observable
final class TripsModel {
    @SharedQuery(Trips()) var trips
}
