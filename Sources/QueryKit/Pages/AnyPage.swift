/// A ``QueryPage`` without its generic types, as an element of a list. See ``AnyValue`` for the reason.
struct AnyPage: Sendable {
    private let box: AnyValue
    let idHash: Int
    /// The regions that the page was read from; `nil` if they are unknown.
    let reads: RegionSet?

    init<ID, Value>(_ page: QueryPage<ID, Value>) {
        box = AnyValue(page)
        idHash = page.id.hashValue
        reads = page.reads
    }

    /// The page, for code that knows its types.
    @inline(__always)
    func page<ID, Value>(as type: QueryPage<ID, Value>.Type) -> QueryPage<ID, Value> { box.unboxed(as: type) }

    /// Whether both are the same copy of a page.
    func isSame(as other: AnyPage) -> Bool { box.isIdentical(to: other.box) }

    /// Whether a change in some regions may affect the page.
    func isConcerned(by changes: [QueryRegion]) -> Bool {
        guard let reads else { return true }
        return changes.contains { reads.overlaps($0) }
    }
}
