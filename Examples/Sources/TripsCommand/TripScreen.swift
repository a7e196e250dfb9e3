import QueryKit
import TripsApp

/// One trip with its stops as lines of text.
@MainActor
struct TripScreen {
    @SharedQuery<InlineQuery<TripDetails?>.State> private var details: TripDetails??

    init(_ id: Trip.ID, client: QueryClient) {
        _details = SharedQuery(Trip.details(of: id), client: client)
    }

    var lines: [String] {
        switch details {
        case nil: ["Loading…"]
        case .some(nil): ["This trip was deleted."]
        case .some(let details?): details.lines
        }
    }
}

extension TripDetails {
    var lines: [String] { [trip.summary] + stops.map { "  \($0.place), \($0.nights) nights" } }
}
