package import QueryKit

extension Trip {
    package static func all(matching text: String = "") -> InlineQuery<[Trip]> {
        InlineQuery("trips/all", text) { try await $0.trips.trips(matching: text) }
    }

    package static func details(of id: ID) -> InlineQuery<TripDetails?> {
        InlineQuery("trips/details", id) { try await $0.trips.details(of: id) }
    }

    package static var totalDays: InlineQuery<Int> {
        InlineQuery("trips/total-days") { try await $0.trips.totalDays() }
    }

    /// One mutation for all changes, so that one state has the status of the latest change.
    package static var change: InlineMutation<TripChange, Void> {
        InlineMutation("trips/change") { change, context in try await context.trips.save(change) }
            .optimistic { change, layers in
                layers.update(all()) { change.apply(to: &$0) }
                layers.update(details(of: change.trip.id)) { change.apply(to: &$0) }
                layers.update(totalDays) { $0 += change.days }
            }
    }
}
