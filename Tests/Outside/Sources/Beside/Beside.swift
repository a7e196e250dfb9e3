import LikeDependencies
import LikeSwiftData
import QueryKit

struct AddTrip: Mutation {
    let name: String
}

extension QueryDependencies {
    var trips: QueryDependency<[String]> { .init(["Lisbon", "Oslo"]) }
}

/// Uses names of other modules and of QueryKit in one file, as apps do.
struct Trips {
    @Query(["Rome"]) var stored
    @Dependency(2) var limit
    @SharedQuery(InlineQuery("trips/all") { context in context.trips }, default: []) var trips
    @SharedMutation(InlineMutation("trips/add") { (trip: AddTrip, _) in trip.name }) var add

    init(_ client: QueryClient) {
        _trips = SharedQuery(InlineQuery("trips/all") { context in context.trips }, default: [], client: client)
        _add = SharedMutation(InlineMutation("trips/add") { (trip: AddTrip, _) in trip.name }, client: client)
    }
}

@main struct Beside {
    static func main() async throws {
        let client = QueryClient(configuration: .isolated)
        let trips = Trips(client)
        try await trips.$trips.fetch()
        let added = try await trips.add.mutate(with: AddTrip(name: "Bergen"))
        print((trips.trips.prefix(trips.limit) + trips.stored + [added]).joined(separator: ", "))
    }
}
