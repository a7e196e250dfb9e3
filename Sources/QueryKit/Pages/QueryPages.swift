/// The pages of a ``PaginatedRequest``, in their order, and the ids of those before and after them.
///
/// ```swift
/// ForEach(store.value?.items ?? []) { EntryRow($0) }
/// if store.hasNextPage { ProgressView().task { try? await store.fetchNextPage() } }
/// ```
public struct QueryPages<PageID: Hashable & Sendable, PageValue: Sendable>: QueryPagesProtocol {
    var pages: [QueryPage<PageID, PageValue>]
    public internal(set) var nextPageID: PageID?
    public internal(set) var previousPageID: PageID?

    /// Creates a list, such as for a placeholder or a test. Of pages with the same id the first counts, and an id of a page that is there
    /// leads nowhere.
    public init(_ pages: some Sequence<QueryPage<PageID, PageValue>>, nextPageID: PageID? = nil, previousPageID: PageID? = nil) {
        var known: Set<PageID> = []
        self.pages = pages.filter { known.insert($0.id).inserted }
        self.nextPageID = nextPageID.flatMap { known.contains($0) ? nil : $0 }
        self.previousPageID = previousPageID.flatMap { known.contains($0) ? nil : $0 }
    }

    /// What is on the page with an id; `nil` if that is not there.
    public subscript(id id: PageID) -> PageValue? { position(of: id).map { pages[$0].value } }

    func position(of id: PageID) -> Int? { pages.firstIndex { $0.id == id } }
}

extension QueryPages: RandomAccessCollection {
    public var startIndex: Int { pages.startIndex }

    public var endIndex: Int { pages.endIndex }

    // Without these the defaults measure the distance between indices, through generic code.
    public var count: Int { pages.count }

    public var isEmpty: Bool { pages.isEmpty }

    public var first: QueryPage<PageID, PageValue>? { pages.first }

    public var last: QueryPage<PageID, PageValue>? { pages.last }

    public subscript(position: Int) -> QueryPage<PageID, PageValue> { pages[position] }
}

extension QueryPages: Equatable where PageValue: Equatable {}

extension QueryPages: ByteEstimating {
    public var heapByteCount: Int { ByteEstimate.of(pages) - MemoryLayout.size(ofValue: pages) }
}

extension QueryPages: Codable where PageID: Codable, PageValue: Codable {
    private enum CodingKeys: CodingKey {
        case pages, nextPageID, previousPageID
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode([QueryPage<PageID, PageValue>].self, forKey: .pages),
            nextPageID: try container.decodeIfPresent(PageID.self, forKey: .nextPageID),
            previousPageID: try container.decodeIfPresent(PageID.self, forKey: .previousPageID)
        )
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(pages, forKey: .pages)
        try container.encodeIfPresent(nextPageID, forKey: .nextPageID)
        try container.encodeIfPresent(previousPageID, forKey: .previousPageID)
    }
}
