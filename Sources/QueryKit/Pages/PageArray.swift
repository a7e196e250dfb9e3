/// Pages without their types, in order.
struct PageArray: Sendable {
    private(set) var pages: [AnyPage] = []
    /// The hashes of the pages' ids. A page is looked up here first, because many hashes are compared in the time of one generic `==`.
    private var hashes: [Int] = []
    /// The regions that the pages were read from.
    private(set) var reads = PageReads()

    func position(hash: Int, where matches: (AnyPage) -> Bool) -> Int? {
        guard let first = hashes.firstIndex(of: hash) else { return nil }
        return pages.indices[first...].first { hashes[$0] == hash && matches(pages[$0]) }
    }

    /// Adds a page at one end. If there are more than the limit then, pages at the other end are removed.
    mutating func add(_ page: AnyPage, at end: PageEnd, limit: Int) {
        let surplus = max(pages.count + 1 - limit, 0)
        switch end {
        case .first:
            pages.insert(page, at: 0)
            hashes.insert(page.idHash, at: 0)
            pages.removeLast(surplus)
            hashes.removeLast(surplus)
        case .last:
            pages.append(page)
            hashes.append(page.idHash)
            pages.removeFirst(surplus)
            hashes.removeFirst(surplus)
        }
        if surplus == 0 { reads.add(page) } else { reads = PageReads(of: pages) }
    }

    /// Replaces a page by one with the same id, which may have been read from other regions.
    mutating func replace(_ page: AnyPage, at position: Int) {
        pages[position] = page
        reads = PageReads(of: pages)
    }

    /// Replaces a page by one with other contents and the same regions.
    mutating func edit(_ page: AnyPage, at position: Int) { pages[position] = page }
}

/// The regions that pages were read from.
struct PageReads: Sendable {
    private(set) var regions = RegionSet()
    /// Whether the regions of any page are unknown.
    private(set) var isPartlyUnknown = false

    init(of pages: [AnyPage] = []) {
        for page in pages { add(page) }
    }

    mutating func add(_ page: AnyPage) {
        guard let reads = page.reads else {
            isPartlyUnknown = true
            return
        }
        if !reads.isEmpty { regions.formUnion(reads) }
    }
}

/// An end of a list of pages.
enum PageEnd {
    case first, last
}
