//! The tutorial: its SwiftUI views, without the database, so that
//! they also compile where SwiftUI is a stand-in.
// snippet.hide
// swift-format-ignore-file: OrderedImports
// snippet.show
import Foundation
import Observation
import QueryKit

// snippet.hide
nonisolated struct Trip: Hashable, Identifiable, Sendable {
    let id: UUID
    let name: String
}

nonisolated protocol TripRepository: Sendable {
    func all() async throws -> [Trip]
    func add(_ trip: Trip) async throws
}

nonisolated struct NameTaken: Error, CustomStringConvertible {
    let name: String

    var description: String { "\(name) is on the list already." }
}

nonisolated extension QueryDependencies {
    var trips: QueryDependency<any TripRepository> { .required() }
}

nonisolated extension Trip {
    static let all = InlineQuery("trips/all") { context in
        try await context.trips.all()
    }
}

nonisolated extension Trip {
    static let add = InlineMutation("trips/add") {
        (trip: Trip, context) in try await context.trips.add(trip)
    }
    .optimistic { trip, layers in
        layers.update(all) { trips in
            trips.append(trip)
            trips.sort { $0.name < $1.name }
        }
    }
}

@MainActor @Observable
final class TripsModel: QueryModel {
    let queryClient: QueryClient

    @ObservationIgnored @SharedQuery(Trip.all, default: []) var trips
    @ObservationIgnored @SharedMutation(Trip.add) private var addTrip

    var isLoading: Bool { $trips.isLoading }

    /// Why the latest trip was not added, or the trips not loaded.
    var problem: String? {
        (addTrip.error ?? $trips.error).map { "\($0)" }
    }

    init(queryClient: QueryClient) { self.queryClient = queryClient }

    func add(_ name: String) throws {
        try addTrip.submit(Trip(id: UUID(), name: name))
    }

    /// Adds the trip that failed again, or else loads the trips.
    func retry() throws {
        if try addTrip.retryLatest() == nil { $trips.refetch() }
    }
}

actor MemoryTrips: TripRepository {
    private var trips = [Trip(id: UUID(), name: "Oslo")]

    func all() -> [Trip] { trips }

    func add(_ trip: Trip) throws {
        if trips.contains(where: { $0.name == trip.name }) {
            throw NameTaken(name: trip.name)
        }
        trips.append(trip)
    }
}

/// Stands for the repository in the database, which has its own sample.
nonisolated struct SQLiteTrips: Sendable {
    let memory = MemoryTrips()

    static func open(_ file: URL) async throws -> SQLiteTrips {
        SQLiteTrips()
    }
}

nonisolated extension QueryClient {
    static func following(_ trips: SQLiteTrips) -> QueryClient {
        var context = QueryContext()
        context.trips = trips.memory
        context.ttl = .infinity
        return QueryClient(context: context, configuration: .isolated)
    }
}
// snippet.show

// snippet.view
#if canImport(SwiftUI)
    import SwiftUI

    struct TripsView: View {
        let model: TripsModel
        @State private var name = ""

        var body: some View {
            List {
                if model.isLoading { ProgressView() }
                ForEach(model.trips) { trip in Text(trip.name) }
                TextField("Name of a trip", text: $name)
                Button("Add") {
                    try? model.add(name)
                    name = ""
                }
                if let problem = model.problem {
                    Text(problem)
                    Button("Try again") { try? model.retry() }
                }
            }
        }
    }
#endif
// snippet.end

// snippet.root
#if canImport(SwiftUI)
    import Foundation
    import QueryKit
    import SwiftUI

    /// The first view of the app: opens the file.
    struct TripsRoot: View {
        @State private var model: TripsModel?
        @State private var problem: String?

        var body: some View {
            VStack {
                if let model { TripsView(model: model) }
                if let problem { Text(problem) }
            }
            .task { await open() }
        }

        private func open() async {
            do {
                let folder = try FileManager.default.url(
                    for: .applicationSupportDirectory,
                    in: .userDomainMask,
                    appropriateFor: nil,
                    create: true
                )
                let trips = try await SQLiteTrips.open(
                    folder.appending(path: "trips.sqlite")
                )
                let client = QueryClient.following(trips)
                model = TripsModel(queryClient: client)
            } catch {
                problem = "\(error)"
            }
        }
    }
#endif
// snippet.end

// snippet.hide
let trips = try await SQLiteTrips.open(URL(filePath: "/"))
let client = QueryClient.following(trips)
let model = TripsModel(queryClient: client)
_ = model.trips
await client.settled()
try model.add("Oslo")
await client.settled()
precondition(model.problem == "Oslo is on the list already.")
precondition(model.trips.map(\.name) == ["Oslo"])
#if canImport(SwiftUI)
    _ = (TripsView(model: model), TripsRoot())
#endif
// snippet.show
