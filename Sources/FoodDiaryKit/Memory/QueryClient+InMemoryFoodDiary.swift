public import QueryKit

extension QueryClient {
    /// Lets requests follow a diary in memory as they follow a database. A diary tells the client that was connected last.
    public func connect(to diary: InMemoryFoodDiary) { diary.observe(with: MemoryDiaryLink(client: self)) }
}

/// Speaks to a client of a diary in memory in the terms of a database.
private final class MemoryDiaryLink: DiaryObserver {
    private struct Reference {
        weak var client: QueryClient?
    }

    private let reference: Lock<Reference>

    init(client: QueryClient) { reference = Lock(Reference(client: client)) }

    func willRead(_ regions: [SQLiteRegion]) { QueryReads.note(regions.map(Self.region)) }

    func didRead(_ version: UInt64, of diary: InMemoryFoodDiary) {
        QueryReads.current?.note(ReadMoment(version...version, of: diary))
    }

    func willChange(_ regions: Set<SQLiteRegion>, to version: UInt64, of diary: InMemoryFoodDiary) {
        QueryReads.current?.writes?.begin(regions.map(Self.region), at: CommitPlace(version, of: diary))
    }

    func didChange(_ regions: Set<SQLiteRegion>) {
        reference.withLock(\.client)?.changed(regions.map(Self.region))
    }

    private static func region(_ region: SQLiteRegion) -> QueryRegion {
        QueryRegion(source: "diary", name: region.table, partition: region.partition)
    }
}
