/// The trips on a server that several devices share. Independent of requests and of the database.
package protocol TripServer: Sendable {
    /// The trips that have changed since a version, the oldest change first. Each trip is listed once, as it is now.
    func changes(after version: Int, limit: Int) async throws -> ServerPage

    /// Replaces or deletes a trip, if the server still has the version that the change was made to.
    ///
    /// - Parameters:
    ///   - content: The trip; `nil` deletes it.
    ///   - version: The version that was changed; 0 for a trip that the server doesn't know.
    ///   - device: The device that makes the change.
    /// - Returns: The new version.
    func put(_ content: TripDetails?, for id: Trip.ID, over version: Int, by device: String) async throws -> Int
}

/// A trip as the server has it. Each change on the server gets the next number as its version.
package struct ServerTrip: Hashable, Sendable {
    package let id: Trip.ID
    package let version: Int
    /// The device that made the latest change.
    package let device: String
    /// `nil` if the trip was deleted.
    package let content: TripDetails?
}

/// A part of the changes.
package struct ServerPage: Hashable, Sendable {
    package let trips: [ServerTrip]
    /// How many changed trips follow after this page.
    package let remaining: Int
}

/// The reason why the server refused or failed, as text for the user.
package enum ServerError: Error, Hashable, CustomStringConvertible {
    case unavailable
    /// Another device has changed the trip in between.
    case outdated(String)

    package var description: String {
        switch self {
        case .unavailable: "The server is busy."
        case .outdated(let name): "\"\(name)\" has changed on the server."
        }
    }
}
