import TestSupport
import Testing

@testable import QueryKit

struct QueryEventHandlerTests {
    private typealias State = QueryState<Int?, Int>
    private typealias Handler = QueryEventHandler<State>

    private let received = Recorder<String>()
    private var shown: ShownState {
        ShownState(typing: Typing<State>.shared, box: StateBox(), shared: AnyValue(State(initialValue: 5)))
    }

    private func event(_ changes: StateChanges, _ result: Result<Int, any Error>? = nil) -> StateEvent {
        StateEvent(changes: changes, state: StateBox(), result: result.map { $0.map { AnyValue($0) } })
    }

    private var everything: Handler {
        Handler(
            onStateChanged: { [received] state, _ in received.note("state \(state.value ?? 0)") },
            onFetchingStarted: { [received] _ in received.note("started") },
            onFetchingEnded: { [received] _ in received.note("ended") },
            onResultReceived: { [received] result, _ in received.note("result \((try? result.get()) ?? 0)") }
        )
    }

    @Test(
        arguments: [
            ([.state], ["state 5"]), ([.fetchingStarted], ["started"]), ([.fetchingEnded], ["ended"]), ([.result], ["result 7"]),
            ([.state, .fetchingStarted], ["started", "state 5"]),
            ([.state, .result, .fetchingEnded], ["state 5", "result 7", "ended"]), ([], []),
        ] as [(StateChanges, [String])]
    )
    func `a handler receives the changes of a run, its start first and its end last`(_ changes: StateChanges, _ expected: [String]) {
        event(changes, .success(7)).call(everything, of: nil, shown, QueryContext())
        #expect(received.all == expected)
    }

    @Test func `missing closures are skipped`() {
        let all: StateChanges = [.state, .fetchingStarted, .fetchingEnded, .result]
        event(all, .success(7)).call(Handler(), of: nil, shown, QueryContext())
        event(.state).call(Handler(), of: nil, shown, QueryContext())
        event(all, .success(7)).call(
            Handler(onResultReceived: { [received] _, _ in received.note("result") }),
            of: nil,
            shown,
            QueryContext()
        )
        #expect(received.all == ["result"])
    }

    @Test func `without a result onResultReceived is not called`() {
        event([.result, .state]).call(everything, of: nil, shown, QueryContext())
        #expect(received.all == ["state 5"])
    }

    @Test func `a single trailing closure receives states`() {
        event([.state, .fetchingEnded]).call(
            Handler { [received] state, _ in received.note("\(state.value ?? 0)") },
            of: nil,
            shown,
            QueryContext()
        )
        #expect(received.all == ["5"])
    }

    @Test func `handlers of a request are called if they match its state`() {
        var context = QueryContext()
        context.settings.handlers = [
            everything, QueryEventHandler<QueryState<String?, String>> { [received] _, _ in received.note("wrong") }, everything,
        ]
        Typing<QueryState<Int?, Int>>.shared.call(context.settings.handlers, event(.state), shown, context)
        #expect(received.all == ["state 5", "state 5"])
    }
}
