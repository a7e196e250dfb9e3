import Foundation
import QueryKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Asks a server how it is. Gets its configuration with each call, so it has no state that could be out of date.
protocol StatusService: Sendable {
    func status(using configuration: ServiceConfiguration) async throws -> String
}

extension QueryDependencies {
    var statusService: QueryDependency<any StatusService> { .init(HTTPStatusService()) }
}

/// The status of the server of the profile that is shown. Asks again when the configuration has changed.
struct ServerStatus: QueryRequest {
    var path: QueryPath { "service/status" }

    static var current: some QueryRequest<String, QueryState<String?, String>> {
        ServerStatus().dependent(on: ServiceConfiguration.current)
    }

    func fetch(in context: QueryContext, with continuation: QueryContinuation<String>) async throws -> String {
        guard let configuration = context.queryClient?.value(for: ServiceConfiguration.current) else { throw CancellationError() }
        return try await context.statusService.status(using: configuration)
    }
}

/// The status over HTTP: the code of the response.
struct HTTPStatusService: StatusService {
    func status(using configuration: ServiceConfiguration) async throws -> String {
        var request = URLRequest(url: configuration.server)
        request.timeoutInterval = TimeInterval(configuration.timeout.components.seconds)
        do {
            let (_, response) = try await URLSession.shared.data(for: request)
            return "responds with \((response as? HTTPURLResponse)?.statusCode ?? 0)"
        } catch let error as URLError {
            return error.code == .timedOut ? "doesn't respond within \(configuration.timeout)" : "can't be reached"
        }
    }
}
