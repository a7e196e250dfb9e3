import Observation
package import QueryKit

/// The list of trips, searched as you type, with its total and its changes.
@MainActor @Observable
package final class TripListModel: QueryModel {
    package let queryClient: QueryClient
    package var search = "" {
        didSet { $trips.show(Trip.all(matching: search).keepingPrevious()) }
    }
    private var refusal: (any Error)?

    @ObservationIgnored @SharedQuery(Trip.all().keepingPrevious(), default: []) package var trips
    @ObservationIgnored @SharedQuery(Trip.totalDays, default: 0) package var totalDays
    @ObservationIgnored @SharedMutation(Trip.change) private var change

    package var isLoading: Bool { $trips.isLoading }
    package var problem: String? { (refusal ?? change.error ?? $trips.error).map { "\($0)" } }

    package init(queryClient: QueryClient) { self.queryClient = queryClient }

    /// Makes a change. If it is invalid, or fails later, `problem` contains the reason.
    package func submit(_ make: () throws -> TripChange) {
        refusal = nil
        do { try change.submit(make()) } catch { refusal = error }
    }

    package func retry() {
        do { if try change.retryLatest() == nil { $trips.refetch() } } catch { refusal = error }
    }
}
