//! A view model in each of its states, without a sleep: loading, error,
//! refresh, retry, optimistic update, offline.
import Observation
import QueryKit
import QueryKitTesting

// snippet.hide
func expect(_ isTrue: Bool, line: UInt = #line) {
    precondition(isTrue, "line \(line)")
}
// snippet.show
nonisolated protocol DiaryRepository: Sendable {
    func entries() async throws -> [String]
    func add(_ name: String) async throws
}

nonisolated extension QueryDependencies {
    var diary: QueryDependency<any DiaryRepository> { .required() }
}

struct Entries: QueryRequest {
    var path: QueryPath { "entries" }

    func setup(context: inout QueryContext) {
        context.retry.limit = 1
        context.retry.backoff = .constant(.seconds(1))
    }

    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<[String]>
    ) async throws -> [String] {
        try await context.diary.entries()
    }
}

// snippet.model
@MainActor @Observable
final class DiaryModel: QueryModel {
    let queryClient: QueryClient

    @ObservationIgnored @SharedQuery(Entries(), default: []) var entries
    @ObservationIgnored @SharedMutation(DiaryModel.add) var addEntry

    var showsSpinner: Bool { $entries.isLoading }
    var isRefreshing: Bool { $entries.isRefreshing }
    var isWaitingForNetwork: Bool { $entries.isPaused }
    var problem: String? {
        ($entries.error ?? addEntry.error).map { "\($0)" }
    }

    init(queryClient: QueryClient) { self.queryClient = queryClient }

    func refresh() async { await $entries.refetch().finished() }
    func add(_ name: String) throws { try addEntry.submit(name) }

    private nonisolated static var add: InlineMutation<String, Void> {
        InlineMutation("entries/add") { (name: String, context) in
            try await context.diary.add(name)
        }
        .optimistic { name, layers in
            layers.update(Entries(), default: []) {
                if !$0.contains(name) { $0.append(name) }
            }
        }
        .invalidates("entries")
    }
}
// snippet.end

// snippet.fake
actor FakeDiary: DiaryRepository {
    nonisolated let reading = Gate()
    nonisolated let writing = Gate()
    private var names: [String] = []

    func entries() async throws -> [String] {
        try await reading.pass()
        return names
    }

    func add(_ name: String) async throws {
        try await writing.pass()
        names.append(name)
    }
}

@MainActor
struct DiaryTest {
    let diary = FakeDiary()
    let clock = ManualClock()
    let network = ManualNetworkObserver()
    let client: QueryClient
    let model: DiaryModel

    init() {
        var context = QueryContext()
        context.diary = diary
        context.networkObserver = network
        client = QueryClient.test(clock: clock, context: context)
        model = DiaryModel(queryClient: client)
    }
}
// snippet.end

struct NoServer: Error {}

// snippet.loading
@MainActor func loading() async {
    let test = DiaryTest()
    expect(test.model.showsSpinner)
    test.diary.reading.open()
    await test.client.settled()
    expect(!test.model.showsSpinner && test.model.entries == [])
}
// snippet.end

// snippet.error
@MainActor func error() async {
    let test = DiaryTest()
    test.diary.reading.fail(with: NoServer())
    _ = test.model.entries
    await test.client.settled()
    test.clock.advance(by: .seconds(1))  // the second attempt
    await test.client.settled()
    expect(
        test.model.problem == "NoServer()" && test.model.entries == []
    )
}
// snippet.end

// snippet.retry
@MainActor func retry() async {
    let test = DiaryTest()
    test.diary.reading.failOnce(with: NoServer())
    _ = test.model.entries
    await test.client.settled()
    expect(
        test.model.showsSpinner && test.model.$entries.failureCount == 1
    )
    test.diary.reading.open()
    test.clock.advance(by: .seconds(1))
    await test.client.settled()
    expect(!test.model.showsSpinner && test.model.problem == nil)
}
// snippet.end

// snippet.refresh
@MainActor func refresh() async throws {
    let test = DiaryTest()
    test.diary.reading.openOnce()
    _ = test.model.entries  // the first read fetches
    await test.client.settled()
    let refresh = Task { await test.model.refresh() }
    try await test.client.loading(at: test.diary.reading) {
        expect(test.model.isRefreshing && !test.model.showsSpinner)
    }
    await refresh.value
    expect(!test.model.isRefreshing)
}
// snippet.end

// snippet.optimistic
@MainActor func optimistic() async throws {
    let test = DiaryTest()
    test.diary.reading.open()
    try test.model.add("Apple")
    expect(test.model.entries == ["Apple"])
    test.diary.writing.failOnce(with: NoServer())
    await test.client.settled()
    expect(
        test.model.entries == [] && test.model.problem == "NoServer()"
    )
    test.diary.writing.open()
    try test.model.addEntry.retryLatest()
    await test.client.settled()
    expect(test.model.entries == ["Apple"] && test.model.problem == nil)
}
// snippet.end

// snippet.offline
@MainActor func offline() async {
    let test = DiaryTest()
    test.network.set(isOnline: false)
    test.diary.reading.failOnce(with: QueryError(.networkUnavailable))
    _ = test.model.entries
    await test.client.settled()
    expect(test.model.isWaitingForNetwork)
    test.diary.reading.open()
    test.network.set(isOnline: true)
    await test.client.settled()
    expect(!test.model.isWaitingForNetwork && test.model.problem == nil)
}
// snippet.end

// snippet.states
@MainActor func everyState() async throws {
    let test = DiaryTest()
    let recorder = StateRecorder(test.client.store(for: Entries()))
    try await test.client.loading(at: test.diary.reading) {}
    expect(recorder.states.map(\.isFetching) == [false, true, false])
}
// snippet.end

// snippet.hide
await loading()
await error()
await retry()
try await refresh()
try await optimistic()
await offline()
try await everyState()
// snippet.show
