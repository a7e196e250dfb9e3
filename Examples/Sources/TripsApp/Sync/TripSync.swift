/// Exchanges changes with a server. It doesn't depend on the screens, which are updated after its commits.
package struct TripSync: Sendable {
    let trips: any SyncRepository
    let server: any TripServer
    let pageSize: Int

    /// Creates a synchronization.
    ///
    /// - Parameter pageSize: How many trips are received and stored at once.
    package init(_ trips: any SyncRepository, with server: any TripServer, pageSize: Int = 50) {
        (self.trips, self.server, self.pageSize) = (trips, server, pageSize)
    }

    /// Receives what has changed on the server since the last time, and sends what has changed here.
    ///
    /// Each page is stored together with its position, so after a failure or a cancellation the next call continues there. Only the server
    /// and the database are asked; both throw a `CancellationError` once the task is cancelled.
    ///
    /// - Parameter progress: Called after each page and after each trip that was sent.
    func callAsFunction(progress: @Sendable (SyncReport) -> Void) async throws -> SyncReport {
        let device = try await trips.deviceName()
        var report = SyncReport()
        var isMore = true
        while isMore {
            let page = try await server.changes(after: trips.syncPosition(), limit: pageSize)
            report.replaced += try await trips.receive(page)
            report.received += page.trips.count { $0.device != device }
            report.remaining = page.remaining
            isMore = page.remaining > 0
            if isMore { progress(report) }
        }
        var unsent = try await trips.unsentTrips()[...]
        while let trip = unsent.popFirst() {
            report.remaining = unsent.count + 1
            progress(report)
            let isUnknown = trip.content == nil && trip.version == 0
            let version = isUnknown ? 0 : try await server.put(trip.content, for: trip.id, over: trip.version, by: device)
            try await trips.confirm(trip, as: version)
            report.sent += isUnknown ? 0 : 1
        }
        report.remaining = 0
        return report
    }
}

/// What a synchronization has exchanged so far.
package struct SyncReport: Hashable, Sendable {
    package internal(set) var received = 0
    package internal(set) var sent = 0
    /// How many trips are known to follow.
    package internal(set) var remaining = 0
    /// The names of the trips whose local changes were replaced by changes on the server.
    package internal(set) var replaced: [String] = []
}
