package import Foundation

/// A journey with a name of its own.
package struct Trip: Hashable, Identifiable, Sendable {
    package let id: UUID
    package internal(set) var name: String
    package let start: Day
    package let days: Int

    init(id: UUID, name: String, start: Day, days: Int) {
        (self.id, self.name, self.start, self.days) = (id, name, start, days)
    }

    /// Plans a trip from what a user has entered.
    package init(planning name: String, from start: String, days: Int) throws(TripError) {
        guard let start = Day(rawValue: start) else { throw .notADay(start) }
        guard 1...1000 ~= days else { throw .length(days) }
        self.init(id: UUID(), name: try Self.name(name), start: start, days: days)
    }

    /// The name that a user means, without spaces around it.
    package static func name(_ text: String) throws(TripError) -> String {
        let name = text.trimmingCharacters(in: .whitespacesAndNewlines)
        if name.isEmpty { throw .noName }
        return name
    }
}

/// A place on the way.
package struct Stop: Hashable, Sendable {
    package let place: String
    package let nights: Int

    package init(place: String, nights: Int) { (self.place, self.nights) = (place, nights) }
}

/// A trip with its stops, in their order.
package struct TripDetails: Hashable, Sendable {
    package internal(set) var trip: Trip
    package internal(set) var stops: [Stop]
}
