/// Stores trips. Independent of requests.
package protocol TripRepository: Sendable {
    /// The trips whose name contains a text, ordered by their first day. An empty text matches all.
    func trips(matching text: String) async throws -> [Trip]

    /// `nil` if there is no such trip.
    func details(of id: Trip.ID) async throws -> TripDetails?

    /// The sum of the days of all trips.
    func totalDays() async throws -> Int

    /// Makes a change, or throws a ``TripError`` and changes nothing.
    func save(_ change: TripChange) async throws
}
