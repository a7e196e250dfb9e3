import Foundation
import QueryKit

extension PreferenceKey where Value == String {
    static var server: Self { Self("server", default: "http://127.0.0.1:8080") }
}

extension PreferenceKey where Value == Int {
    /// In seconds.
    static var timeout: Self { Self("timeout", default: 10) }
}

/// How to reach the server, derived from the settings.
struct ServiceConfiguration: Hashable, Sendable {
    let server: URL
    let timeout: Duration

    init(server text: String, timeout seconds: Int) throws {
        guard let url = URL(string: text), ["http", "https"].contains(url.scheme), url.host?.isEmpty == false else {
            throw UsageError("\"\(text)\" is not the address of a server, such as: preferences set server https://example.org")
        }
        guard 1...300 ~= seconds else {
            throw UsageError("A time-out takes 1 to 300 seconds, not \(seconds), such as: preferences set timeout 10")
        }
        (server, timeout) = (url, .seconds(seconds))
    }
}

extension ServiceConfiguration {
    /// The configuration of the profile that is shown. Derived again whenever one of the two settings changes, also while the new value is
    /// being saved, and in another process.
    static var current: some QueryRequest<ServiceConfiguration, QueryState<ServiceConfiguration?, ServiceConfiguration>> {
        DerivedConfiguration().dependent(on: Preference(.server)).dependent(on: Preference(.timeout))
    }

    private struct DerivedConfiguration: QueryRequest {
        var path: QueryPath { "service/configuration" }

        func setup(context: inout QueryContext) {
            context.ttl = .infinity  // fresh until one of the settings changes
            context.retry.limit = 0  // a text that is not an address stays one
        }

        func fetch(
            in context: QueryContext,
            with continuation: QueryContinuation<ServiceConfiguration>
        ) async throws -> ServiceConfiguration {
            guard
                let server = context.queryClient?.value(for: Preference(.server)),
                let timeout = context.queryClient?.value(for: Preference(.timeout))
            else { throw CancellationError() }
            return try ServiceConfiguration(server: server, timeout: timeout)
        }
    }
}
