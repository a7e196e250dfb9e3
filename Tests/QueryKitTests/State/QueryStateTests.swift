import Foundation
import TestSupport
import Testing

@testable import QueryKit

struct QueryStateTests {
    private typealias State = QueryState<[Int]?, [Int]>

    private func state(_ flags: QueryRecord.Flags, _ current: [Int]? = nil, _ error: TestError? = nil) -> State {
        var state = State(initialValue: nil)
        state.current = current
        state.record.flags = flags
        state.record.error = error
        return state
    }

    @Test func `R3 an untouched state is idle`() {
        let state = State(initialValue: nil)
        #expect(state.status == .idle)
        #expect(state.value == nil)
        #expect(state.revision == 0)
        #expect(state.cause == .created)
        #expect(state.valueUpdatedAt == nil)
        #expect(state.errorUpdatedAt == nil)
        #expect(state.valueUpdateCount == 0)
        #expect(state.errorUpdateCount == 0)
        #expect(state.failureCount == 0)
        #expect(!(state.isFetching || state.isLoading || state.isPaused || state.isInvalidated || state.isPlaceholder))
    }

    @Test func `R3 an empty result differs from no result`() {
        let loaded = state([.succeeded, .hasValue], [])
        #expect(loaded.status == .result(.success([])))
        #expect(loaded.status != .idle)
        #expect(loaded.value == [])
        #expect(state([]).status != loaded.status)
    }

    @Test func `R3 a result of nil is a result`() {
        var state = QueryState<Int??, Int?>(initialValue: nil)
        state.current = .some(nil)
        state.record.flags = [.succeeded, .hasValue]
        #expect(state.status == .result(.success(nil)))
        #expect(state.value == .some(.some(nil)) as Int???)
        #expect(state.value != nil)
    }

    @Test func `R1 loading means that the first result is being fetched`() {
        let state = state([.fetching])
        #expect(state.status == .loading)
        #expect(state.isLoading && state.isFetching)
        #expect(!state.isRefreshing)
    }

    @Test func `R1 a refresh keeps the result and is shown as fetching`() {
        let state = state([.fetching, .succeeded, .hasValue], [1])
        #expect(state.status == .result(.success([1])))
        #expect(state.isFetching)
        #expect(!state.isLoading)
        #expect(state.isRefreshing)
    }

    @Test func `R2 after a failure the status is the failure, and the value is kept`() {
        let state = state([.failed, .hasValue], [1], TestError())
        #expect(state.status == .result(.failure(TestError())))
        #expect(state.value == [1])
        #expect(state.error as? TestError == TestError())
    }

    @Test func `R1 a refresh after a failure keeps showing the failure if there is a value`() {
        let state = state([.fetching, .failed, .hasValue], [1], TestError())
        #expect(state.status == .result(.failure(TestError())))
        #expect(state.isFetching)
    }

    @Test func `a placeholder is shown but is not a result`() {
        let state = state([.placeholder, .fetching], [7])
        #expect(state.value == [7])
        #expect(state.status == .loading)
        #expect(state.isPlaceholder)
    }

    @Test func `each flag has its own property`() {
        #expect(state([.paused]).isPaused)
        #expect(state([.invalidated]).isInvalidated)
        #expect(state([.placeholder]).isPlaceholder)
        #expect(state([.fetching]).isFetching)
        #expect(!state([.paused, .invalidated, .placeholder]).isFetching)
    }

    @Test func `counts and times are read from the record`() {
        var state = state([.failed, .hasValue], [1], TestError())
        state.record.valueCount = 2
        state.record.setFailures(4, nil)
        state.record.revision = 5
        state.record.valueTime = QueryTimestamp(instant: .zero, date: Date(timeIntervalSince1970: 6))
        let failure = QueryTimestamp(instant: .zero, date: Date(timeIntervalSince1970: 7))
        for _ in 0..<3 { state.record.fail(TestError(), at: failure) }
        #expect(state.valueUpdateCount == 2)
        #expect(state.errorUpdateCount == 3)
        #expect(state.failureCount == 4)
        #expect(state.revision == 5)
        #expect(state.valueUpdatedAt == Date(timeIntervalSince1970: 6))
        #expect(state.errorUpdatedAt == Date(timeIntervalSince1970: 7))
    }

    @Test func `an initial value is shown until there is another`() {
        var state = QueryState<Int, Int>(initialValue: 5)
        #expect(state.value == 5)
        #expect(state.status == .idle)
        state.current = 6
        #expect(state.value == 6)
        #expect(state.initialValue == 5)
        var optional = State(initialValue: [9])
        #expect(optional.value == [9])
        optional.current = []
        #expect(optional.value == [])
    }

    @Test func `code that knows only the protocol sees the same value`() {
        func value<S: QueryStateProtocol>(_ state: S) -> S.StateValue { state.value }
        #expect(value(state([.succeeded], [1])) == [1])
        #expect(value(state([])) == nil)
        var plain = QueryState<Int, Int>(initialValue: 5)
        #expect(value(plain) == 5)
        plain.current = 6
        #expect(value(plain) == 6)
        var nested = QueryState<Int??, Int?>(initialValue: nil)
        #expect(value(nested) == Int??.none)
        nested.current = .some(nil)
        #expect(value(nested) == Int??.some(nil))
    }
}

struct QueryStatusTests {
    private typealias Status = QueryStatus<Int>

    @Test func `mapping a status changes only a success value`() {
        let statuses: [Status] = [.idle, .loading, .result(.success(2)), .result(.failure(TestError()))]
        #expect(statuses.map { $0.map { "\($0)!" } } == [.idle, .loading, .result(.success("2!")), .result(.failure(TestError()))])
        #expect(
            statuses.map { $0.flatMap { $0 > 1 ? QueryStatus<String>.idle : .loading } } == [
                .idle, .loading, .idle, .result(.failure(TestError())),
            ]
        )
        #expect(throws: TestError.self) { try Status.result(.success(1)).map { _ -> Int in throw TestError() } }
    }

    @Test func `a status is exactly one of three kinds`() {
        let all: [Status] = [.idle, .loading, .result(.success(1)), .result(.failure(TestError()))]
        #expect(all.map(\.isIdle) == [true, false, false, false])
        #expect(all.map(\.isLoading) == [false, true, false, false])
        #expect(all.map(\.success) == [nil, nil, 1, nil])
        #expect(all.map { $0.failure as? TestError } == [nil, nil, nil, TestError()])
    }

    @Test func `statuses are equal if their results are, and errors if their descriptions are`() {
        let all: [Status] = [
            .idle, .loading, .result(.success(1)), .result(.success(2)), .result(.failure(TestError("a"))),
            .result(.failure(TestError("b"))),
        ]
        for (left, one) in all.enumerated() {
            for (right, other) in all.enumerated() { #expect((one == other) == (left == right)) }
        }
        #expect(Status.result(.failure(TestError("timeout"))) != .result(.failure(QueryError(.timeout))))
    }
}

struct QueryCauseTests {
    @Test func `a cause describes itself, and an invalidation includes its pattern`() {
        let causes: [QueryCause] = [.created, .manual, .subscribed, .stale, .invalidated("food/*/**"), .written, .reset, .cancelled]
        #expect(
            causes.map(\.description)
                == ["created", "manual", "subscribed", "stale", "invalidated(food/*/**)", "written", "reset", "cancelled"]
        )
        #expect(Set(causes).count == causes.count)
    }

    @Test func `two invalidation causes are equal if their patterns are`() {
        #expect(QueryCause.invalidated("a/**/**") == .invalidated("a/**"))
        #expect(QueryCause.invalidated("a") != .invalidated("b"))
        #expect(QueryCause.invalidated("a").pattern == "a")
        #expect(QueryCause.manual.pattern == nil)
    }
}
