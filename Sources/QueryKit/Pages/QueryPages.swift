/// The pages of a ``PaginatedRequest``, in order, and the ids of the pages before and after them.
///
/// ```swift
/// ForEach(store.value?.items ?? []) { EntryRow($0) }
/// if store.hasNextPage {
///     ProgressView().task { try? await store.fetchNextPage() }
/// }
/// ```
///
/// Copies share their pages. Adding a page takes the same time for long and short lists.
public struct QueryPages<PageID: Hashable & Sendable, PageValue: Sendable>: QueryPagesProtocol {
    typealias Page = QueryPage<PageID, PageValue>

    private var tree = TreeList<AnyPage, PageReads>()
    /// Finds the numbers of pages in the tree by their ids.
    private var index = TreeIndex()
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
        get { number(of: id).map { page($0).value } }
        set {
            guard let newValue else { return }
            _ = update(id) { $0 = newValue }
        }
    }

    /// Whether there is a page with an id.
    func contains(_ id: PageID) -> Bool { number(of: id) != nil }

    /// The regions that the pages were read from.
    var reads: PageReads { tree.summary }

    /// The page at a position, for another list to use.
    func anyPage(at position: Int) -> AnyPage { tree[tree.numbers.lowerBound + position] }

    /// How many pages are in nodes that two lists share, for tests.
    func sharedCount(with other: QueryPages) -> Int { tree.sharedCount(with: other.tree) }

    private func number(of id: PageID) -> Int? { number(of: id, hash: id.hashValue) }

    private func number(of id: PageID, hash: Int) -> Int? { index.find(hash) { page($0).id == id } }

    private func page(_ number: Int) -> Page { tree[number].page(as: Page.self) }

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
        mapped.index = index
        mapped.tree = tree
        try mapped.tree.updateEach { element in
            let page = element.page(as: Page.self)
            return AnyPage(QueryPage(id: page.id, value: try transform(page.value), reads: page.reads))
        }
        return mapped
    }

    // MARK: Changes

    /// Adds a page at one end, unless there is a page with its id. If the list is then longer than the limit, pages at the other end are
    /// removed.
    mutating func add(_ page: AnyPage, _ id: PageID, at end: TreeEnd, limit: Int = .max) {
        let hash = id.hashValue
        guard number(of: id, hash: hash) == nil else { return }
        switch end {
        case .first: index.insert(tree.prepend(page), hash: hash)
        case .last: index.insert(tree.append(page), hash: hash)
        }
        while count > limit { removePage(at: end == .first ? .last : .first) }
    }

    private mutating func removePage(at end: TreeEnd) {
        let number = end == .first ? tree.numbers.lowerBound : tree.numbers.upperBound - 1
        index.remove(number, hash: page(number).id.hashValue)
        tree.remove(at: end)
    }

    /// Replaces the page with the same id. Returns `false` if there is none.
    mutating func replace(_ page: Page) -> Bool {
        guard let number = number(of: page.id) else { return false }
        tree.replace(number, with: AnyPage(page))
        return true
    }

    /// Changes the contents of one page. Returns `false` if there is no such page.
    mutating func update(_ id: PageID, _ change: (inout PageValue) throws -> Void) rethrows -> Bool {
        guard let number = number(of: id) else { return false }
        var page = page(number)
        try change(&page.value)
        return replace(page)
    }

    /// Changes the contents of the pages for which `change` returns `true`.
    mutating func updateEach(where change: (inout PageValue) throws -> Bool) rethrows {
        try tree.updateEach { element in
            var page = element.page(as: Page.self)
            return try change(&page.value) ? AnyPage(page) : nil
        }
    }

    /// Calls `body` for each page. Faster than accessing the pages one by one.
    func visit(_ body: (QueryPage<PageID, PageValue>) throws -> Void) rethrows {
        try tree.visit { try body($0.page(as: Page.self)) }
    }
}

extension QueryPages: RandomAccessCollection {
    public var startIndex: Int { 0 }

    public var endIndex: Int { tree.count }

    // The default implementations would measure the distance between indices through generic code.
    public var count: Int { tree.count }

    public var isEmpty: Bool { tree.isEmpty }

    public var first: QueryPage<PageID, PageValue>? { isEmpty ? nil : page(tree.numbers.lowerBound) }

    public var last: QueryPage<PageID, PageValue>? { isEmpty ? nil : page(tree.numbers.upperBound - 1) }

    /// The page at a position.
    ///
    /// You can write its value, as in `pages[0].value.append(entry)`, and QueryKit still knows which regions the page was read from.
    /// Assigning a page with another id has no effect. So the type isn't a `MutableCollection`: sorting it would assign pages with other
    /// ids.
    public subscript(position: Int) -> QueryPage<PageID, PageValue> {
        get { page(tree.numbers.lowerBound + position) }
        set {
            guard newValue.id == self[position].id else { return }
            self[id: newValue.id] = newValue.value
        }
    }
}

extension QueryPages: Equatable where PageValue: Equatable {
    public static func == (left: QueryPages, right: QueryPages) -> Bool {
        guard left.nextPageID == right.nextPageID, left.previousPageID == right.previousPageID else { return false }
        return left.tree.isEqual(to: right.tree) { $0.isSame(as: $1) || $0.page(as: Page.self) == $1.page(as: Page.self) }
    }
}

extension QueryPages: ByteEstimating {
    public var heapByteCount: Int {
        // Besides its own size, each page takes space for a box with a header, an entry in the tree, and an entry in the index.
        let fixed = 32 + count * (MemoryLayout<Page>.stride + 64)
        if ByteEstimate.fixed(for: PageID.self) != nil, ByteEstimate.fixed(for: PageValue.self) != nil { return fixed }
        return fixed + ByteEstimate.heap(ofElements: self)
    }
}

extension QueryPages: CustomReflectable {
    /// Shows the pages instead of the internal tree.
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
