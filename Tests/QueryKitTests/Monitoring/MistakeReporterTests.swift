import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

struct MistakeReporterTests {
    private let mistakes = Recorder<QueryMistake>()

    @Test func `R32 a mistake is reported once per kind and subject, and its message is created only then`() {
        let reporter = MistakeReporter { [mistakes] in mistakes.note($0) }
        var made = 0
        func message(_ text: String) -> String {
            made += 1
            return text
        }
        reporter.report(.pollingInterval, about: "a", at: "x", message("first"))
        reporter.report(.pollingInterval, about: "a", at: "y", message("again"))
        reporter.report(.pollingInterval, about: "b", message("second"))
        reporter.report(.nothingToFollow, about: "a", message("third"))
        #expect(mistakes.all.map(\.message) == ["first", "second", "third"])
        #expect(mistakes.all.map(\.path) == ["x", nil, nil])
        #expect(made == 3)
    }

    @Test func `R32 the memory of reported mistakes and matched patterns is bounded`() {
        let reporter = MistakeReporter { [mistakes] in mistakes.note($0) }
        for number in 1...1_000 { reporter.report(.pollingInterval, about: "\(number)", "") }
        #expect(mistakes.count == 256)
        for number in 1...2_000 { reporter.noteMatch(of: ["number", number]) }
        #expect(reporter.mayHaveMatched(["number", 3_000]))
    }

    @Test func `R32 each client reports its mistakes, and one without a closure does not check`() {
        var silent = QueryClient.Configuration.isolated
        silent.onMistake = nil
        let clients = [
            QueryClient(configuration: .recording(mistakes)), QueryClient.test(configuration: .recording(mistakes)),
            QueryClient(configuration: silent),
        ]
        for client in clients + clients { client.invalidate("a//b") }
        #expect(mistakes.kinds == [.malformedPattern, .malformedPattern])
        #expect(clients[2].core.mistakes == nil)
    }

    @Test func `R32 clients report mistakes by default in debug builds, including isolated ones`() {
        #if DEBUG
            #expect(QueryClient.Configuration().onMistake != nil)
            #expect(QueryClient.test().core.mistakes != nil)
        #else
            #expect(QueryClient.test().core.mistakes == nil)
        #endif
    }

    @Test func `R32 onMistake may use the client and is not called inside the run that made the mistake`() async throws {
        let isInRun = Recorder<Bool>()
        let box = Lock<QueryClient?>(nil)
        var configuration = QueryClient.Configuration.isolated
        configuration.onMistake = { _ in
            isInRun.note(QueryReads.current != nil)
            box.withLock(\.self)?.setValue(7, for: Number(2))
        }
        let bench = TestBench(configuration: configuration) { call in
            call.context.queryClient?.invalidate("a//b")
            return call.number
        }
        box.withLock { $0 = bench.client }
        #expect(try await bench.client.fetch(Number(1)) == 1)
        #expect(isInRun.all == [false])
        #expect(bench.client.value(for: Number(2)) == 7)
        box.withLock { $0 = nil }
    }

    @Test func `R32 a mistake's description names the library, the fix and the kind`() {
        let mistake = QueryMistake(kind: .pollingInterval, message: "Write this.", path: nil)
        #expect("\(mistake)" == "QueryKit: Write this. [pollingInterval]")
    }
}
