public import Foundation
public import QueryKit

/// Shows a client in a browser: its stores, what ran and why, mutations, metrics, and what a change would affect.
///
/// Start it in debug builds. It prints an address, which you open in a browser on the same machine. If the app runs in a simulator, open
/// the address on the Mac that runs the simulator:
///
/// ```swift
/// #if DEBUG
///     let inspector = try await QueryInspector.start(client)
///     // QueryKit inspector: http://127.0.0.1:52110/?token=…
/// #endif
/// ```
///
/// Only programs on the same machine can connect, and only with the token in the address. By default the page shows no values of the app,
/// and can't change anything. While no page is open, the inspector costs the client nothing.
///
/// Keep a reference to the inspector as long as it should run: it stops when it is deallocated. It doesn't keep the client alive.
public final class QueryInspector: Sendable {
    private let server: LoopbackServer
    let recorder: Recorder

    private init(_ server: LoopbackServer, _ recorder: Recorder) {
        self.server = server
        self.recorder = recorder
    }

    /// Starts an inspector, and announces its address.
    ///
    /// - Parameters:
    ///   - client: The client to show. Add others with ``add(_:name:)``.
    ///   - name: The name of the app, in the title of the page. Default: the name of the process.
    ///   - port: The port on 127.0.0.1. Default: 0, a port that the system chooses. With a fixed port and a fixed token, an open page finds
    ///     the app again after a restart.
    ///   - token: The token in the address. Default: `nil`, a new one for each inspector. A token of your own must be hard to guess.
    ///   - allowsActions: Whether the page can invalidate, reset and remove requests, simulate states and the network, and advance a manual
    ///     clock. Default: `false`.
    ///   - showsValues: Whether the page shows values and arguments, as `print` would. Default: `false`, because they may be private; then
    ///     the inspector doesn't create their descriptions either.
    ///   - announce: Called once with a line of text that contains the address. By default, this line is printed to standard error.
    /// - Throws: ``QueryInspectorError`` if the port is in use, no socket can be opened, or the page is missing from the app.
    public static func start(
        _ client: QueryClient,
        name: String = "",
        port: UInt16 = 0,
        token: String? = nil,
        allowsActions: Bool = false,
        showsValues: Bool = false,
        announce: (@Sendable (String) -> Void)? = nil
    ) async throws -> QueryInspector {
        let name = name.isEmpty ? ProcessInfo.processInfo.processName : name
        let recorder = Recorder(Recorder.Settings(name: name, allowsActions: allowsActions, showsValues: showsValues))
        let routes = InspectorRoutes(recorder: recorder, page: try InspectorPage.load())
        let server: LoopbackServer
        do {
            server = try LoopbackServer(port: port, token: token ?? AccessRule.newToken(), handler: routes)
        } catch {
            throw QueryInspectorError(error)
        }
        await recorder.add(client, name: "client")
        server.begin()
        let inspector = QueryInspector(server, recorder)
        let address = "QueryKit inspector: \(inspector.url.absoluteString)"
        if let announce { announce(address) } else { FileHandle.standardError.write(Data((address + "\n").utf8)) }
        return inspector
    }

    /// Pages reconnect for a while, and then show that the app has ended.
    deinit {
        // The task needs no owner: it does one thing, and then ends.
        Task { [recorder] in await recorder.stop("The inspector was deallocated.") }
    }

    /// The port on 127.0.0.1 that the inspector uses.
    public var port: UInt16 { server.port }

    /// The address of the page, with the token. A program on this machine needs nothing else to connect.
    public var url: URL {
        var parts = URLComponents()
        parts.scheme = "http"
        parts.host = "127.0.0.1"
        parts.port = Int(port)
        parts.path = "/"
        parts.queryItems = [URLQueryItem(name: "token", value: server.rule.token)]
        return parts.url ?? URL(filePath: "/")
    }

    /// Shows another client on the same page.
    ///
    /// - Parameters:
    ///   - client: The client. The inspector doesn't keep it alive. The page shows when it was deallocated.
    ///   - name: The name of the client on the page.
    public func add(_ client: QueryClient, name: String) async { await recorder.add(client, name: name) }

    /// Disconnects all open pages, ends all simulations, and returns when all connections and the port are closed.
    public func stop() async {
        await recorder.stop("The inspector was stopped.")
        await server.stop()
    }
}
