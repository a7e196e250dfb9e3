import Foundation
import QueryKit
import QueryKitInspector

/// The inspector of the demo. Each act is an app with a client of its own, and all of them are on one page.
@MainActor
package final class ActInspector {
    private let inspector: QueryInspector
    /// The app of the first act, until it is played.
    private var first: StageApp?

    /// Starts the inspector, and announces its address.
    package init(announce: @escaping @Sendable (String) -> Void) async throws {
        let app = StageApp()
        inspector = try await QueryInspector.start(
            app.client,
            name: "querykit-demo",
            allowsActions: true,
            showsValues: true,
            announce: announce
        )
        first = app
    }

    package var address: String { inspector.url.absoluteString }

    /// The app with which an act begins.
    func app(of number: Int) async -> StageApp {
        if let first {
            self.first = nil
            return first
        }
        let app = StageApp()
        await show(app.client, of: number)
        return app
    }

    /// Shows another client of the app of an act.
    func show(_ client: QueryClient, of number: Int) async {
        await inspector.add(client, name: "\(number). \(Act.all[number - 1].title)")
    }

    func stop() async { await inspector.stop() }
}
