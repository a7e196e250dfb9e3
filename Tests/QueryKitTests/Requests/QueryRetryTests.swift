import Foundation
import TestSupport
import Testing

@testable import QueryKit

struct QueryRetryTests {
    @Test(arguments: [(1, 1), (2, 2), (3, 4), (4, 8), (5, 16), (6, 30), (7, 30), (62, 30), (63, 30), (64, 30), (1_000_000, 30), (.max, 30)])
    func `R11 the delay doubles from one second up to thirty`(_ failures: Int, _ seconds: Int) {
        #expect(QueryBackoff.exponential(jitter: { 1 }).delay(afterFailures: failures) == .seconds(seconds))
    }

    @Test(arguments: [0, -1, -100, .min]) func `R11 before the first failure the delay is that of the first retry`(_ failures: Int) {
        #expect(QueryBackoff.exponential(jitter: { 1 }).delay(afterFailures: failures) == .seconds(1))
    }

    @Test func `R11 jitter randomizes a share of the delay, from none to all`() {
        #expect(QueryBackoff.exponential(jitter: { 0 }).delay(afterFailures: 3) == .zero)
        #expect(QueryBackoff.exponential(jitter: { 0.5 }).delay(afterFailures: 3) == .seconds(2))
        #expect(QueryBackoff.exponential(jitter: { 0.25 }).delay(afterFailures: 9) == .seconds(7.5))
        #expect(QueryBackoff.exponential(jitter: { 7 }).delay(afterFailures: 3) == .seconds(4))
        #expect(QueryBackoff.exponential(jitter: { -7 }).delay(afterFailures: 3) == .zero)
        #expect(QueryBackoff.exponential(jitter: { .nan }).delay(afterFailures: 3) == .zero)
    }

    @Test func `R11 the standard jitter is random and stays within the delay`() {
        let delays = (0..<200).map { _ in QueryBackoff.exponential().delay(afterFailures: 3) }
        #expect(delays.allSatisfy { $0 >= .zero && $0 <= .seconds(4) })
        #expect(Set(delays).count > 100)
        // Full jitter: half of all delays are shorter than half of the longest.
        #expect((40...160).contains(delays.count { $0 < .seconds(2) }))
    }

    @Test func `R11 base and cap can be set, even to the ends of the range`() {
        let backoff = QueryBackoff.exponential(base: .milliseconds(100), cap: .milliseconds(350), jitter: { 1 })
        #expect(
            (1...4).map { backoff.delay(afterFailures: $0) } == [
                .milliseconds(100), .milliseconds(200), .milliseconds(350), .milliseconds(350),
            ]
        )
        #expect(QueryBackoff.exponential(base: .infinity, cap: .seconds(9), jitter: { 1 }).delay(afterFailures: 1) == .seconds(9))
        #expect(QueryBackoff.exponential(base: .infinity, cap: .seconds(9), jitter: { 1 }).delay(afterFailures: 80) == .seconds(9))
        #expect(QueryBackoff.exponential(base: .zero, jitter: { 1 }).delay(afterFailures: 80) == .zero)
        #expect(
            QueryBackoff.exponential(base: .nanoseconds(1), cap: .infinity, jitter: { 1 }).delay(afterFailures: 63) == .nanoseconds(1 << 62)
        )
        #expect(QueryBackoff.exponential(base: .seconds(-5), jitter: { 1 }).delay(afterFailures: 2) == .zero)
        #expect(QueryBackoff.exponential(cap: .seconds(-5), jitter: { 1 }).delay(afterFailures: 2) == .zero)
    }

    @Test func `a custom delay receives the failure count and is never negative`() {
        let backoff = QueryBackoff { .seconds(10 - $0) }
        #expect([1, 9, 11].map { backoff.delay(afterFailures: $0) } == [.seconds(9), .seconds(1), .zero])
        #expect(QueryBackoff.constant(.seconds(2)).delay(afterFailures: 50) == .seconds(2))
        #expect(QueryBackoff.constant(.seconds(-2)).delay(afterFailures: 50) == .zero)
        #expect(QueryBackoff.none.delay(afterFailures: 50) == .zero)
    }

    @Test func `R11 by default the number of retries is unlimited and every error is retried`() {
        let retry = QueryRetry()
        #expect(retry.limit == nil)
        #expect(retry.condition(TestError()))
        #expect((.zero...(.seconds(1))).contains(retry.backoff.delay(afterFailures: 1)))
        let picky = QueryRetry(limit: 2, backoff: .none) { $0 is QueryError }
        #expect(picky.limit == 2)
        #expect(!picky.condition(TestError()))
        #expect(picky.condition(QueryError(.timeout)))
    }
}

struct QueryRecoveryTests {
    private static let steps: [(any Error, QueryRecovery.Step)] = [
        (QueryError(.timeout), .retry), (QueryError(.networkUnavailable), .waitForNetwork), (QueryError(.invalidParameters), .fail),
        (QueryError(.cycle), .fail), (QueryError(.databaseCorruption), .repair), (QueryError(.insufficientPermissions), .authorize),
        (TestError(), .retry),
    ]

    @Test func `R26 temporary errors are retried, missing permissions requested, and permanent errors fail`() {
        for (error, step) in Self.steps { #expect(QueryRecovery.standard.step(after: error) == step, "\(error)") }
    }

    @Test(arguments: [
        URLError.Code.notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive,
    ])
    func `R26 an error of URLSession that means no network waits for the network, in either form`(code: URLError.Code) {
        #expect(QueryRecovery.standard.step(after: URLError(code)) == .waitForNetwork)
        #expect(QueryRecovery.standard.step(after: NSError(domain: NSURLErrorDomain, code: code.rawValue)) == .waitForNetwork)
        #expect(QueryRecovery.standard.step(after: NSError(domain: "elsewhere", code: code.rawValue)) == .retry)
    }

    @Test(arguments: [
        URLError.Code.timedOut, .networkConnectionLost, .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .badServerResponse,
    ])
    func `R26 an error of URLSession with several possible reasons is retried`(code: URLError.Code) {
        #expect(QueryRecovery.standard.step(after: URLError(code)) == .retry)
    }

    @Test func `R26 a custom recovery sees the standard step and can override it`() {
        let received = Recorder<QueryRecovery.Step>()
        let recovery = QueryRecovery { error, standard in
            received.note(standard)
            return error is TestError ? .authorize : standard
        }
        for (error, step) in Self.steps { #expect(recovery.step(after: error) == (error is TestError ? .authorize : step)) }
        #expect(received.all == Self.steps.map(\.1))
    }
}
