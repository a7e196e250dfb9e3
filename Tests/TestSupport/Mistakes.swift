package import QueryKit

extension QueryClient.Configuration {
    /// An isolated configuration whose mistakes are recorded instead of printed.
    package static func recording(_ mistakes: Recorder<QueryMistake>) -> QueryClient.Configuration {
        var configuration = QueryClient.Configuration.isolated
        configuration.onMistake = { mistakes.note($0) }
        return configuration
    }
}

extension Recorder<QueryMistake> {
    /// The kinds in order.
    package var kinds: [QueryMistake.Kind] { all.map(\.kind) }
}
