/// The pages of a ``PaginatedRequest``, in order, and the ids of the pages before and after them.
///
/// ```swift
/// ForEach(store.value?.items ?? []) { EntryRow($0) }
/// if store.hasNextPage {
///     ProgressView().task { try? await store.fetchNextPage() }
/// }
/// ```
///
/// Copies share their pages.
public struct QueryPages<PageID: Hashable & Sendable, PageValue: Sendable>: QueryPagesProtocol {
    typealias Page = QueryPage<PageID, PageValue>

    private var array = PageArray()
    /// The id of the page after the last; `nil` if there is none.
    public internal(set) var nextPageID: PageID?
    /// The id of the page before the first; `nil` if there is none.
    public internal(set) var previousPageID: PageID?

    /// Creates a list, for example for a placeholder or a test. If pages have the same id, only the first is used. A next or previous id
    /// that belongs to a page in the list is ignored.
    public init(_ pages: some Sequence<QueryPage<PageID, PageValue>>, nextPageID: PageID? = nil, previousPageID: PageID? = nil) {
        for page in pages { add(AnyPage(page), page.id, at: .last) }
        self.nextPageID = nextPageID.flatMap { contains($0) ? nil : $0 }
        self.previousPageID = previousPageID.flatMap { contains($0) ? nil : $0 }
    }

    /// The contents of the page with an id; `nil` if there is no such page.
    ///
    /// A new value replaces the contents of the page, and QueryKit still knows which regions the page was read from. Assigning `nil`, or
    /// assigning a value to an id without a page, has no effect: only runs add and remove pages.
    ///
    /// ```swift
    /// pages[id: 50]?.append(entry)
    /// ```
    public subscript(id id: PageID) -> PageValue? {
        get { position(of: id).map { page($0).value } }
        set {
            guard let newValue else { return }
            _ = update(id) { $0 = newValue }
        }
    }

    /// Whether there is a page with an id.
    func contains(_ id: PageID) -> Bool { position(of: id) != nil }

    /// The page at a position, for another list to use.
    func anyPage(at position: Int) -> AnyPage { array.pages[position] }

    /// The regions that the pages were read from.
    var reads: PageReads { array.reads }

    private func position(of id: PageID) -> Int? { position(of: id, hash: id.hashValue) }

    private func position(of id: PageID, hash: Int) -> Int? {
        array.position(hash: hash) { $0.page(as: Page.self).id == id }
    }

    private func page(_ position: Int) -> Page { array.pages[position].page(as: Page.self) }

    /// Returns the pages with other contents. The ids of the pages, the next id and the previous id stay the same, and so do the regions
    /// that the pages were read from.
    ///
    /// ```swift
    /// let titles = pages.mapValues { $0.posts.map(\.title) }
    /// ```
    ///
    /// In contrast, `map` returns an array.
    public func mapValues<NewValue: Sendable>(
        _ transform: (PageValue) throws -> NewValue
    ) rethrows -> QueryPages<PageID, NewValue> {
        var mapped = QueryPages<PageID, NewValue>([], nextPageID: nextPageID, previousPageID: previousPageID)
        for page in self {
            mapped.array.add(AnyPage(QueryPage(id: page.id, value: try transform(page.value), reads: page.reads)), at: .last, limit: .max)
        }
        return mapped
    }

    // MARK: Changes

    /// Adds a page at one end, unless there is a page with its id. If the list is then longer than the limit, pages at the other end are
    /// removed.
    mutating func add(_ page: AnyPage, _ id: PageID, at end: PageEnd, limit: Int = .max) {
        guard position(of: id, hash: page.idHash) == nil else { return }
        array.add(page, at: end, limit: limit)
    }

    /// Replaces the page with the same id. Returns `false` if there is none.
    mutating func replace(_ page: Page) -> Bool {
        guard let position = position(of: page.id) else { return false }
        array.replace(AnyPage(page), at: position)
        return true
    }

    /// Changes the contents of one page. Returns `false` if there is no such page.
    mutating func update(_ id: PageID, _ change: (inout PageValue) throws -> Void) rethrows -> Bool {
        guard let position = position(of: id) else { return false }
        var page = page(position)
        try change(&page.value)
        array.edit(AnyPage(page), at: position)
        return true
    }

    /// Changes the contents of the pages for which `change` returns `true`.
    mutating func updateEach(where change: (inout PageValue) throws -> Bool) rethrows {
        for position in indices {
            var page = page(position)
            if try change(&page.value) { array.edit(AnyPage(page), at: position) }
        }
    }
}

extension QueryPages: RandomAccessCollection {
    public var startIndex: Int { 0 }

    public var endIndex: Int { array.pages.count }

    /// The page at a position.
    ///
    /// You can write its value, as in `pages[0].value.append(entry)`, and QueryKit still knows which regions the page was read from.
    /// Assigning a page with another id has no effect. So the type isn't a `MutableCollection`: sorting it would assign pages with other
    /// ids.
    public subscript(position: Int) -> QueryPage<PageID, PageValue> {
        get { page(position) }
        set {
            guard newValue.id == self[position].id else { return }
            self[id: newValue.id] = newValue.value
        }
    }
}

extension QueryPages: Equatable where PageValue: Equatable {
    public static func == (left: QueryPages, right: QueryPages) -> Bool {
        guard left.nextPageID == right.nextPageID, left.previousPageID == right.previousPageID else { return false }
        return left.array.pages.elementsEqual(right.array.pages) { $0.isSame(as: $1) || $0.page(as: Page.self) == $1.page(as: Page.self) }
    }
}

extension QueryPages: ByteEstimating {
    public var heapByteCount: Int {
        // Besides its own size, each page takes space for a box with a header, and an element of the array.
        let fixed = 32 + count * (MemoryLayout<Page>.stride + 16 + MemoryLayout<AnyPage>.stride)
        if ByteEstimate.fixed(for: PageID.self) != nil, ByteEstimate.fixed(for: PageValue.self) != nil { return fixed }
        return fixed + ByteEstimate.heap(ofElements: self)
    }
}

extension QueryPages: CustomReflectable {
    /// Shows the pages without their boxes.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: ["pages": Array(self), "nextPageID": nextPageID as Any, "previousPageID": previousPageID as Any],
            displayStyle: .struct
        )
    }
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
        try container.encode(Array(self), forKey: .pages)
        try container.encodeIfPresent(nextPageID, forKey: .nextPageID)
        try container.encodeIfPresent(previousPageID, forKey: .previousPageID)
    }
}
