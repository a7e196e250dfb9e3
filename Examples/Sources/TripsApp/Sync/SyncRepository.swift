/// The trips on this device, and what the device knows about the server.
package protocol SyncRepository: Sendable {
    /// The latest version that was received from the server.
    func syncPosition() async throws -> Int

    /// The name under which the server knows this device.
    func deviceName() async throws -> String

    /// The trips with local changes that the server doesn't have.
    func unsentTrips() async throws -> [UnsentTrip]

    /// Notes that the server has a change. A change that was made while this one was being sent remains unsent.
    func confirm(_ sent: UnsentTrip, as version: Int) async throws

    /// Stores a page of changes and the new position, or nothing.
    ///
    /// The rule for conflicts: if both sides have changed a trip, the server's version replaces the local one.
    ///
    /// - Returns: The names of the trips whose local changes were replaced.
    func receive(_ page: ServerPage) async throws -> [String]
}

/// A trip with local changes.
package struct UnsentTrip: Hashable, Sendable {
    package let id: Trip.ID
    /// The version of the server that was changed; 0 if the server doesn't know the trip.
    package let version: Int
    /// How many changes were made since.
    package let edits: Int
    /// `nil` if the trip was deleted.
    package internal(set) var content: TripDetails?
}
