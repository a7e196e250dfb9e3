public import QueryKit

extension QueryClient {
    /// Makes requests follow a diary in memory as they follow a database. A diary notifies only the client that was connected last.
    public func connect(to diary: InMemoryFoodDiary) { diary.observe(with: MemoryDiaryLink(client: self)) }
}

/// Reports reads and changes of a diary in memory to a client.
private final class MemoryDiaryLink: DiaryObserver {
    private struct Reference {
        weak var client: QueryClient?
    }

    private let reference: Lock<Reference>

    init(client: QueryClient) { reference = Lock(Reference(client: client)) }

    func willRead(_ regions: [QueryRegion]) { QueryReads.note(regions) }

    func didRead(_ version: UInt64, of diary: InMemoryFoodDiary) {
        QueryReads.current?.note(ReadMoment(version...version, of: diary))
    }

    func willChange(_ regions: Set<QueryRegion>, to version: UInt64, of diary: InMemoryFoodDiary) {
        QueryReads.current?.writes?.begin(Array(regions), at: SourceCommit(version, of: diary))
    }

    func changed(_ regions: Set<QueryRegion>) -> @Sendable () -> Void {
        let entered = reference.withLock(\.client)?.enter(regions, cause: .regionChanged, by: QueryReads.current)
        return { entered?.notify() }
    }

    func snapshot(of diary: InMemoryFoodDiary) async -> DiarySnapshot? {
        guard let reads = QueryReads.current, reads.mayShare else { return nil }
        return await reads.snapshot(of: diary) { DiarySnapshot($0) }
    }

    func outdate(_ regions: [QueryRegion]) { QueryReads.current?.outdate(regions) }

    func willWrite(to diary: InMemoryFoodDiary) { QueryReads.current?.willWrite(to: diary, isExclusive: false) }
}
