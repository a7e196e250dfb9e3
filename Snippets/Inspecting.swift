//! Showing clients in a browser.
import Foundation
import QueryKit
import QueryKitInspector

// snippet.hide
struct Weather: QueryRequest {
    let city: String

    var path: QueryPath { ["weather", city] }

    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<Int>
    ) async throws -> Int {
        21
    }
}

let client = QueryClient(configuration: .isolated)
let images = QueryClient(configuration: .isolated)
_ = try await client.fetch(Weather(city: "Bern"))
// snippet.show

// snippet.start
#if DEBUG
    let inspector = try await QueryInspector.start(client)
#endif
// QueryKit inspector: http://127.0.0.1:52110/?token=…
// snippet.end

// snippet.settings
/// Starts an inspector with the settings of the scheme. By default,
/// port and token are new at each launch, and the page is read-only.
func startInspector(
    for client: QueryClient
) async throws -> QueryInspector {
    let scheme = ProcessInfo.processInfo.environment
    return try await QueryInspector.start(
        client,
        name: "Weather",
        port: scheme["INSPECTOR_PORT"].flatMap { UInt16($0) } ?? 0,
        token: scheme["INSPECTOR_TOKEN"],
        allowsActions: scheme["INSPECTOR_ACTIONS"] != nil,
        showsValues: scheme["INSPECTOR_VALUES"] != nil
    )
}
// snippet.end

// snippet.hide
#if DEBUG
    precondition(inspector.url.host() == "127.0.0.1")
    precondition(inspector.url.query()?.hasPrefix("token=") == true)
    do {
        // The port of the first inspector is taken.
        _ = try await QueryInspector.start(images, port: inspector.port)
        preconditionFailure("Two inspectors listen at one port.")
    } catch let error as QueryInspectorError {
        precondition(error.code == .portTaken)
    }
    // snippet.show
    // snippet.clients
    await inspector.add(images, name: "images")
    // snippet.stop
    await inspector.stop()
// snippet.end
// snippet.hide
#endif

let second = try await startInspector(for: client)
precondition(second.port != 0)
await second.stop()
// snippet.show
