//! The tutorial, step 4: the SwiftUI view of the list, without the
//! database, so that it also compiles where SwiftUI is a stand-in.
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

@MainActor @Observable
final class TripsModel: QueryModel {
    let queryClient: QueryClient

    @ObservationIgnored @SharedQuery(Trip.all, default: []) var trips

    var isLoading: Bool { $trips.isLoading }

    init(queryClient: QueryClient) { self.queryClient = queryClient }
}
// snippet.show

// snippet.view
#if canImport(SwiftUI)
    import SwiftUI

    struct TripsView: View {
        let model: TripsModel

        var body: some View {
            List {
                if model.isLoading { ProgressView() }
                ForEach(model.trips) { trip in Text(trip.name) }
            }
        }
    }
#endif
// snippet.end

// snippet.hide
let trips = try await SQLiteTrips.open(URL(filePath: "/"))
let model = TripsModel(queryClient: .following(trips))
_ = model.trips
await model.queryClient.settled()
precondition(!model.isLoading && model.trips.map(\.name) == ["Oslo"])
#if canImport(SwiftUI)
    _ = TripsView(model: model)
#endif
// snippet.show
