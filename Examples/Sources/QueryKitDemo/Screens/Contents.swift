import QueryKit

/// What there is to show, in words of the view: no type of QueryKit reaches it.
enum Contents<Value: Sendable>: Sendable {
    case nothing
    case loading(Progress)
    case shown(Value, Progress)
    case failed(message: String)

    /// What goes on behind what is shown.
    struct Progress: Sendable {
        let isRefreshing: Bool
        let isOutdated: Bool
        let failures: Int
        let cause: String
    }
}

extension Contents {
    init(_ state: QueryState<Value?, Value>) {
        let progress = Progress(
            isRefreshing: state.isFetching,
            isOutdated: state.isInvalidated,
            failures: state.failureCount,
            cause: state.cause.description
        )
        self =
            switch state.status {
            case .idle: .nothing
            case .loading: .loading(progress)
            case .result(.success(let value)): .shown(value, progress)
            case .result(.failure(let error)): .failed(message: "\(error)")
            }
    }
}
