import Foundation
import TestSupport
import Testing

@testable import QueryKit
@testable import QueryKitInspector

struct EventLogTests {
    private let time = SessionTime(start: .zero)

    private func event(_ kind: QueryEvent.Kind, store: Int? = nil, at nanoseconds: Int64 = 0, duration: Duration? = nil) -> QueryEvent {
        QueryEvent(
            kind: kind,
            path: ["a", store ?? 0],
            cause: .manual,
            instant: QueryInstant(nanoseconds: nanoseconds),
            run: 1,
            duration: duration,
            store: store
        )
    }

    @Test func `the log keeps the latest events`() {
        let log = EventLog(limit: 3, time)
        #expect(log.numbers == 0..<0)
        for number in 0..<100 {
            log.receive(event(.hit, store: number))
            let kept = max(number - 2, 0)...number
            #expect(log.numbers == Range(kept))
            #expect(log.entries(from: 0, limit: .max).map(\.number) == Array(kept))
            #expect(log.entries(from: 0, limit: .max).compactMap(\.entry.store) == Array(kept))
        }
        #expect(log.entries(from: 98, limit: 1).map(\.number) == [98])
        #expect(log.entries(from: 100, limit: 1).isEmpty)
        #expect(log.entries(of: 99, limit: 5).map(\.number) == [99])
        #expect(log.entries(of: 96, limit: 5).isEmpty)
    }

    @Test func `an event is written with its number and time`() {
        let log = EventLog(limit: 3, time)
        log.receive(event(.runSucceeded, store: 4, at: 1_234_567, duration: .microseconds(1_500)))
        let text = log.entries(from: 0, limit: 1).map { String(decoding: $0.json.bytes, as: UTF8.self) }
        #expect(
            text == [
                #"{"n":0,"t":1.235,"kind":"runSucceeded","path":"a/4","store":4,"run":1,"cause":"manual","origin":null,"ms":1.5,"#
                    + #""error":null,"reason":null}"#
            ]
        )
    }

    @Test func `of the latest changes the log knows when they happened`() {
        let log = EventLog(limit: 10, time)
        func cause(_ number: Int) -> QueryCause {
            QueryCause.manual.from(QueryOrigin(number: number, .commit, in: nil, .regions([], count: 0)))
        }
        for number in 1...21 {
            log.receive(QueryEvent(kind: .changed, path: [], cause: cause(number), instant: QueryInstant(nanoseconds: Int64(number))))
        }
        func changedAt(_ number: Int) -> Int64? {
            let start = QueryInstant(nanoseconds: 30)
            log.receive(QueryEvent(kind: .runStarted, path: ["a"], cause: cause(number), instant: start, run: 1, store: number))
            return log.reason(of: number)?.changedAt.map { $0 == QueryInstant(nanoseconds: Int64(number)) ? Int64(number) : -1 }
        }
        #expect([1, 11, 12, 21].map(changedAt) == [nil, nil, 12, 21])
        #expect(log.reason(of: 1)?.startedAt == QueryInstant(nanoseconds: 30))
        #expect(log.reason(of: 99) == nil)
    }

    @Test func `hits and the last duration are counted by store`() {
        let log = EventLog(limit: 3, time)
        for _ in 0..<5 { log.receive(event(.hit, store: 1)) }
        log.receive(event(.runSucceeded, store: 1, duration: .seconds(1)))
        log.receive(event(.runFailed, store: 2, duration: .seconds(2)))
        log.receive(event(.runStarted, store: 3))
        #expect(log.takeChanged() == [1, 2])
        #expect(log.takeChanged() == [])
        #expect(log.counts(of: 1) == StoreCounts(lastDuration: .seconds(1), hits: 5))
        #expect(log.counts(of: 2) == StoreCounts(lastDuration: .seconds(2), hits: 0))
        #expect(log.counts(of: 3) == nil)
        log.forget([1])
        #expect(log.counts(of: 1) == nil)
    }

    @Test func `a series keeps the latest messages and knows which are new`() {
        var series = Series(limit: 2)
        for number in 0..<4 { series.append([.init(name: "n", value: .integer(number))]) }
        #expect(series.from(3).map { $0[0].value } == [3])
        #expect(series.from(0).map { $0[0].value } == [2, 3])
        #expect(series.from(4).isEmpty)
        series.appendIfChanged([.init(name: "n", value: 3)])
        #expect(series.count == 4)
    }

    @Test func `JSON is what other parsers read`() throws {
        let json: JSON = [
            "text": .text("a\"\\\u{1}\n\u{7f}é😀\u{2028}"), "list": [1, .number(-0.125), .number(1e300), nil, true, .text(nil), []],
            "duration": .milliseconds(.nanoseconds(1_499)), "endless": .milliseconds(.infinity), "nothing": .number(.nan),
            "written": .written(Array("{}".utf8)),
        ]
        let parsed = try #require(try JSONSerialization.jsonObject(with: Data(json.bytes)) as? [String: Any])
        #expect(parsed["text"] as? String == "a\"\\\u{1}\n\u{7f}é😀\u{2028}")
        let list = try #require(parsed["list"] as? [Any])
        #expect(list.prefix(3).map { $0 as? Double } == [1, -0.125, 1e300])
        #expect(list[3] is NSNull)
        #expect(list[4] as? Bool == true)
        #expect(parsed["duration"] as? Double == 0.001)
        #expect(parsed["nothing"] is NSNull)
        #expect(parsed["written"] as? [String: String] == [:])
        #expect(!json.bytes.contains(0x0a))
    }
}
