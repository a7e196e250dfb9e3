import Foundation
import TripsApp

/// Commands that read or write once and end. They need no client: the screen of another process notices what they write.
struct TripsProgram {
    let trips: any TripRepository

    /// Runs a command.
    ///
    /// - Returns: The lines to print.
    func run(_ call: TripsCall) async throws -> [String] {
        switch call {
        case .help, .watch, .demo: return []
        case .list(let text): return try await trips.trips(matching: text).map(\.summary)
        case .show(let name):
            let trip = try await trip(named: name)
            return try await trips.details(of: trip.id)?.lines ?? []
        case .add(let name, let start, let days):
            let trip = try Trip(planning: name, from: start ?? Day(Date()).rawValue, days: days)
            try await trips.save(.add(trip))
            return ["Added: \(trip.summary)"]
        case .rename(let name, let new): try await trips.save(.rename(trip(named: name), to: Trip.name(new)))
        case .delete(let name): try await trips.save(.delete(trip(named: name)))
        case .stop(let name, let place, let nights):
            try await trips.save(.addStop(Stop(place: place, nights: nights), to: trip(named: name)))
        }
        return ["Done."]
    }

    private func trip(named name: String) async throws -> Trip {
        guard let trip = try await trips.trips(matching: name).first(where: { $0.name == name }) else { throw TripError.gone(name) }
        return trip
    }
}
