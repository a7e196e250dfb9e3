package import QueryKit

/// The five ways to keep an overview up to date.
package enum Way: String, CaseIterable, Sendable {
    /// Each of the four use cases reads what it needs, so a tap reads the histories three times. If they shared one reading, a tap would
    /// read 31 statements instead of 94, and the last way would save 97 % instead of 99 %.
    case reload = "a"
    case queries = "b"
    case dualLayer = "c"
    case streams = "d"
    case layers = "e"

    package var title: String {
        switch self {
        case .reload: "every tap reloads each of the four parts"
        case .queries: "reads by query, writes by use case"
        case .dualLayer: "a data layer with queries, a presentation layer with domain types"
        case .streams: "repositories return streams"
        case .layers: "optimistic layers and automatic reactivity, fresh until changed"
        }
    }

    /// Creates the view model of the overview.
    ///
    /// - Parameter client: Has the repository in its context, and is connected to the database if the way follows it.
    @MainActor
    package func model(client: QueryClient, week: Week) -> any OverviewModel {
        switch self {
        case .reload: ReloadingModel(repository: client.context.habits, week: week)
        case .queries: QueriedModel(queryClient: client, week: week)
        case .dualLayer: DualLayerModel(queryClient: client, week: week)
        case .streams: StreamedModel(streams: HabitStreams(client: client), week: week)
        case .layers: LayeredModel(queryClient: client, week: week)
        }
    }

    /// Whether the database reports what changes. Otherwise the app itself reloads or invalidates.
    var followsDatabase: Bool { self == .streams || self == .layers }
}
