// message: 'update' is unavailable: A layer needs the standard state. Remove the State of the request, and write @SharedQuery(Trips(), default: [])
import QueryKit

struct Trips: QueryRequest {
    typealias State = QueryState<[String], [String]>

    func fetch(in context: QueryContext, with continuation: QueryContinuation<[String]>) async throws -> [String] { [] }
}

struct AddTrip: MutationRequest {
    func mutate(with name: String, in context: QueryContext, with continuation: QueryContinuation<Void>) async throws {}

    func optimistic(with name: String, in layers: inout QueryLayers) { layers.update(Trips()) { $0.append(name) } }
}
