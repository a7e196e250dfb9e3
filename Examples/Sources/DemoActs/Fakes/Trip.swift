import QueryKit

/// A trip on the fake server.
package struct Trip: Codable, Hashable, Identifiable, Sendable {
    package let name: String
    package var isLiked = false

    package var id: String { name }

    package init(_ name: String) { self.name = name }
}

extension [Trip] {
    /// Likes the trip with a name.
    mutating func like(_ name: Trip.ID) {
        for index in indices where self[index].id == name { self[index].isLiked = true }
    }
}

/// A part of the list of trips.
package struct TripPage: Hashable, Sendable {
    package let trips: [Trip]

    /// The offset of the next page; `nil` at the end of the list.
    package let next: Int?
}
