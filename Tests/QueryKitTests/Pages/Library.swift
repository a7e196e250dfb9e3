import TestSupport

@testable import QueryKit

/// The source of the tests' pages: numbered pages of numbers. Counts fetches, and runs a closure of the test before each.
final class Library: Sendable {
    typealias Behavior = @Sendable (_ id: Int, _ number: Int) async throws -> Void

    private let pages: Lock<[Int: [Int]]>
    private let calls = Lock<[Int]>([])
    // See Backend.
    private struct Rule { var behavior: Behavior = { _, _ in } }

    private let rule = Lock(Rule())

    /// Pages 1 to `count`, with two numbers each: 10 and 11, 20 and 21.
    init(_ count: Int) {
        pages = Lock(Dictionary(uniqueKeysWithValues: (1...max(count, 1)).map { ($0, [$0 * 10, $0 * 10 + 1]) }))
    }

    /// The pages fetched since the last call.
    func take() -> [Int] {
        calls.withLock { calls in
            defer { calls = [] }
            return calls
        }
    }

    func has(_ id: Int) -> Bool { pages.withLock { $0[id] != nil } }

    /// Sets what a page contains from now on; `nil` for no such page.
    func set(_ id: Int, _ items: [Int]?) { pages.withLock { $0[id] = items } }

    func behave(_ behavior: @escaping Behavior) { rule.withLock { $0.behavior = behavior } }

    static func region(_ id: Int) -> QueryRegion { QueryRegion(source: "library", name: "pages", partition: "\(id)") }

    func page(_ id: Int) async throws -> [Int] {
        let number = calls.withLock { calls in
            calls.append(id)
            return calls.count
        }
        QueryReads.note([Self.region(id)])
        try await rule.withLock { $0.behavior }(id, number)
        guard let items = pages.withLock({ $0[id] }) else { throw TestError("no page \(id)") }
        return items
    }
}

extension QueryContext {
    enum LibraryKey: Key {
        static let defaultValue = Library(0)
    }

    var library: Library {
        get { self[LibraryKey.self] }
        set { self[LibraryKey.self] = newValue }
    }
}

/// The pages of a library. A page with fewer than two numbers is the last.
struct Shelf: PaginatedRequest {
    var start = 1
    var goesBack = false
    var maxPages: Int?

    var path: QueryPath { ["shelf"] }

    var initialPageID: Int { start }

    func pageID(after page: QueryPage<Int, [Int]>, in pages: QueryPages<Int, [Int]>) -> Int? {
        page.value.count < 2 ? nil : page.id + 1
    }

    func pageID(before page: QueryPage<Int, [Int]>, in pages: QueryPages<Int, [Int]>) -> Int? {
        goesBack && page.id > 1 ? page.id - 1 : nil
    }

    func fetchPage(_ id: Int, in context: QueryContext, with continuation: QueryContinuation<[Int]>) async throws -> [Int] {
        try await context.library.page(id)
    }
}

/// Pages that name their successor: the last number on a page is the next id, or 0 for none.
struct Chain: PaginatedRequest {
    var maxPages: Int?

    var path: QueryPath { ["chain"] }

    var initialPageID: Int { 1 }

    func pageID(after page: QueryPage<Int, [Int]>, in pages: QueryPages<Int, [Int]>) -> Int? {
        page.value.last.flatMap { $0 == 0 ? nil : $0 }
    }

    func fetchPage(_ id: Int, in context: QueryContext, with continuation: QueryContinuation<[Int]>) async throws -> [Int] {
        try await context.library.page(id)
    }
}

/// A client with its own library.
struct Reading: Sendable {
    let clock = ManualClock()
    let library: Library
    let client: QueryClient

    init(_ count: Int = 9, network: ManualNetworkObserver? = nil) {
        library = Library(count)
        var context = QueryContext()
        context.clock = clock
        context.library = library
        context.networkObserver = network
        context.networkMode = .online
        client = QueryClient(context: context, configuration: .isolated)
    }

    /// The store of a shelf with the given number of pages, whose fetches are not noted.
    func store(_ shelf: Shelf = Shelf(), pages count: Int) async throws -> QueryStore<Shelf.State> {
        let store = client.store(for: shelf)
        for _ in 0..<count { try await store.fetchNextPage() }
        _ = library.take()
        return store
    }
}

extension QueryStore where State == Shelf.State {
    /// The ids of the pages.
    var ids: [Int]? { state.value?.map(\.id) }

    /// Subscribes without handling states.
    func observe() -> QuerySubscription { subscribe(with: QueryEventHandler()) }
}
