//! A custom modifier: it wraps the fetch of any request, whose
//! path and types don't change.
import QueryKit

// snippet.modifier
struct Fallback<Request: QueryRequest>: QueryModifier {
    let value: Request.Value

    func fetch(
        in context: QueryContext,
        using request: Request,
        with continuation: QueryContinuation<Request.Value>
    ) async throws -> Request.Value {
        do {
            return try await request.fetch(
                in: context,
                with: continuation
            )
        } catch let error as QueryError
            where error.code == .networkUnavailable
        {
            return value
        }
    }
}

extension QueryRequest {
    /// Returns a fallback value while there is no network.
    func fallback(_ value: Value) -> some QueryRequest<Value, State> {
        modifier(Fallback(value: value))
    }
}
// snippet.end

struct Headline: QueryRequest {
    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<String>
    ) async throws -> String {
        throw QueryError(.networkUnavailable)
    }
}

let client = QueryClient()
// snippet.use
let headline = try await client.fetch(
    Headline().fallback("No news").ttl(.seconds(60))
)
print(headline)  // No news
// A modified request has the store of its base.
print(client.value(for: Headline()) ?? "")  // No news
// snippet.end
// snippet.hide
precondition(client.value(for: Headline()) == headline)
// snippet.show
