package import Foundation

/// A trip with a unique name.
package struct Trip: Hashable, Identifiable, Sendable {
    package let id: UUID
    package internal(set) var name: String
    package let start: Day
    package let days: Int

    init(id: UUID, name: String, start: Day, days: Int) {
        (self.id, self.name, self.start, self.days) = (id, name, start, days)
    }

    /// Creates a trip from a user's input.
    package init(planning name: String, from start: String, days: Int) throws(TripError) {
        guard let start = Day(rawValue: start) else { throw .notADay(start) }
        guard 1...1000 ~= days else { throw .length(days) }
        self.init(id: UUID(), name: try Self.name(name), start: start, days: days)
    }

    /// A name without surrounding spaces.
    package static func name(_ text: String) throws(TripError) -> String {
        let name = text.trimmingCharacters(in: .whitespacesAndNewlines)
        if name.isEmpty { throw .noName }
        return name
    }
}

/// A place visited on a trip.
package struct Stop: Hashable, Sendable {
    package let place: String
    package let nights: Int

    package init(place: String, nights: Int) { (self.place, self.nights) = (place, nights) }
}

/// A trip with its stops in order.
package struct TripDetails: Hashable, Sendable {
    package internal(set) var trip: Trip
    package internal(set) var stops: [Stop]
}
