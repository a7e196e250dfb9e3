#if canImport(SwiftUI)
    import QueryKit
    package import SwiftUI

    /// The list of trips, with the screens that open from it. The view contains no code that loads anything again.
    package struct TripsView: View {
        private let model: TripListModel
        private let navigator: TripNavigator
        private let sync: SyncModel

        /// Creates the view. The app owns the models, because a view is created again and again.
        package init(model: TripListModel, navigator: TripNavigator, sync: SyncModel) {
            (self.model, self.navigator, self.sync) = (model, navigator, sync)
        }

        package var body: some View {
            let path = navigator.path  // read here, so that the view is drawn again when the path changes
            NavigationStack(path: Binding(get: { path }, set: { navigator.path = $0 })) {
                List {
                    if let message = navigator.message { Button(message) { navigator.dismissMessage() } }
                    ForEach(model.trips) { trip in
                        Button(trip.name) { navigator.open(trip.id) }
                    }
                    Text("\(model.totalDays) days in all")
                    Text(sync.status)
                    if let problem = model.problem { Text(problem) }
                }
                .refreshable { await sync.synchronize().finished() }
                .navigationTitle("Trips")
                .navigationDestination(for: TripNavigator.Screen.self) { screen in
                    if case .trip = screen { TripView(model: model, navigator: navigator) }
                    if case .edit = screen { TripForm(navigator: navigator) }
                }
            }
        }
    }

    /// A trip with its stops.
    struct TripView: View {
        let model: TripListModel
        let navigator: TripNavigator

        var body: some View {
            List {
                if let details = navigator.details {
                    Text("\(details.trip.start.rawValue), \(details.trip.days) days")
                    ForEach(details.numberedStops) { stop in Text(stop.text) }
                    Button("Edit") { navigator.edit() }
                    Button("Delete") { model.submit { .delete(details.trip) } }
                }
                if let problem = navigator.problem { Text(problem) }
            }
            .navigationTitle(navigator.details?.trip.name ?? "Loading…")
        }
    }

    /// The form for the name of a trip.
    struct TripForm: View {
        let navigator: TripNavigator

        var body: some View {
            List {
                TextField("Name", text: Binding(get: { navigator.name }, set: { navigator.name = $0 }))
                if let problem = navigator.problem { Text(problem) }
                Button("Save") { navigator.save() }
            }
            .navigationTitle("Edit")
        }
    }

    /// A stop with its position, because a trip may visit a place twice.
    struct NumberedStop: Identifiable {
        let id: Int
        let text: String
    }

    extension TripDetails {
        var numberedStops: [NumberedStop] {
            stops.enumerated().map { NumberedStop(id: $0, text: "\($1.place), \($1.nights) nights") }
        }
    }
#endif
