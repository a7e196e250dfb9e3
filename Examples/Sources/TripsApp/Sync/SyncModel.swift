import Observation
package import QueryKit

/// Synchronizes in the background as long as it is shown or retained, and reports the progress.
@MainActor @Observable
package final class SyncModel: QueryModel {
    package let queryClient: QueryClient

    @ObservationIgnored @SharedQuery(SyncTrips().polling(every: .seconds(60))) private var report

    package init(queryClient: QueryClient) { self.queryClient = queryClient }

    package var status: String {
        let report = report ?? SyncReport()
        if $report.isPaused { return "Waiting for the network." }
        if let error = $report.failureReason { return "\(error) Trying again." }
        if $report.isFetching { return report.remaining > 0 ? "Synchronizing, \(report.remaining) to go…" : "Synchronizing…" }
        if let error = $report.error { return "Not synchronized: \(error)" }
        if $report.value == nil { return "Not synchronized." }
        let replaced = report.replaced.isEmpty ? "" : " The server's changes replaced yours: \(report.replaced.joined(separator: ", "))."
        return "Synchronized: \(report.received) received, \(report.sent) sent.\(replaced)"
    }

    @discardableResult
    package func synchronize() -> QueryRefetches { $report.refetch() }

    /// Cancels the synchronization under way. What it has already stored stays, and the next synchronization continues from there.
    package func cancel() { $report.store.cancel() }
}
