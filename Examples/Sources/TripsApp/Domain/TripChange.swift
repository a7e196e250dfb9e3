/// A change to the trips, and its effect on a list, on the details and on the total.
package enum TripChange: Hashable, Sendable {
    case add(Trip)
    case rename(Trip, to: String)
    case delete(Trip)
    case addStop(Stop, to: Trip)

    package var trip: Trip {
        switch self {
        case .add(let trip), .rename(let trip, to: _), .delete(let trip), .addStop(_, to: let trip): trip
        }
    }

    /// The change of the total number of days.
    package var days: Int {
        switch self {
        case .add(let trip): trip.days
        case .delete(let trip): -trip.days
        case .rename, .addStop: 0
        }
    }

    package func apply(to trips: inout [Trip]) {
        switch self {
        case .add(let trip):
            let place = trips.firstIndex { ($0.start, $0.name) > (trip.start, trip.name) }
            trips.insert(trip, at: place ?? trips.endIndex)
        case .rename(let trip, to: let name):
            for index in trips.indices where trips[index].id == trip.id { trips[index].name = name }
        case .delete(let trip): trips.removeAll { $0.id == trip.id }
        case .addStop: break
        }
    }

    package func apply(to details: inout TripDetails?) {
        switch self {
        case .add(let trip): details = TripDetails(trip: trip, stops: [])
        case .rename(_, to: let name): details?.trip.name = name
        case .delete: details = nil
        case .addStop(let stop, to: _): details?.stops.append(stop)
        }
    }
}
