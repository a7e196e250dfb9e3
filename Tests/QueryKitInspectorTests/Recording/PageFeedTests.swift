import Foundation
import TestSupport
import Testing

@testable import QueryKit
@testable import QueryKitInspector

/// Keeps the stream of its page until it is closed.
private final class OnePage: RequestHandler {
    let stream = Lock<EventStream?>(nil)

    func respond(to request: HTTPRequest) async -> HTTPReply {
        .stream { stream in
            self.stream.withLock { $0 = stream }
            stream.onClose { self.stream.withLock { $0 = nil } }
            stream.send(event: "hello", data: Array(#"{"seq":0}"#.utf8))
        }
    }
}

/// What a page gets that reads slowly, or not at all.
struct PageFeedTests {
    private func event(_ number: Int) -> QueryEvent {
        QueryEvent(kind: .hit, path: ["number", number], cause: .manual, instant: .zero, run: nil, duration: nil, store: number)
    }

    @Test func `a page that has fallen behind is told how many events it has lost, and gets all later ones`() async throws {
        let handler = OnePage()
        let server = try LoopbackServer(port: 0, token: "secret", limits: .patient, handler: handler)
        server.begin()
        let page = try #require(await Page.open(server.port))
        _ = await page.next("hello")
        let stream = try #require(handler.stream.withLock { $0 })
        let bench = TestBench()
        let probe = ClientProbe(bench.client, id: 0, name: "client")
        let feed = PageFeed(stream, MessageNumbers())

        var total = 0
        func happen(_ count: Int) {
            for number in total..<total + count { probe.log.receive(event(number)) }
            total += count
        }
        // Until it is behind, the page would get each event. Then more happen than the log keeps.
        repeat {
            happen(1_000)
            feed.catchUp([probe])
        } while !feed.isIncomplete
        happen(15_000)
        feed.catchUp([probe])

        var next = 0
        var losses: [Int] = []
        while next < total {
            feed.catchUp([probe])
            let (kind, message) = try #require(await page.next(of: ["events", "lagged"]))
            if kind == "lagged" {
                let lost = try #require(message.lost)
                losses.append(lost)
                next += lost
            } else {
                let numbers = try #require(message.events).map(\.n)
                #expect(numbers == Array(next..<next + numbers.count))
                next += numbers.count
            }
        }
        #expect(next == total)
        #expect(losses.count == 1)
        #expect(losses.allSatisfy { $0 >= 5_000 && $0 < total - 10_000 })
        await server.stop()
    }

    @Test func `a page that reads nothing is disconnected, and gets complete lists when it is back`() async throws {
        let bench = TestBench()
        for number in 0..<10_000 { bench.client.setValue(number, for: Number(number)) }
        let recorder = Recorder(Recorder.Settings(name: "Diary", allowsActions: false, showsValues: false))
        await recorder.add(bench.client, name: "client")
        var limits = ServerLimits.patient
        limits.stallTime = 1_000_000_000
        let routes = InspectorRoutes(recorder: recorder, page: try InspectorPage.load())
        let server = try LoopbackServer(port: 0, token: "secret", limits: limits, handler: routes)
        server.begin()
        let lazy = try #require(await Page.open(server.port))
        let first = try #require(await lazy.next("hello"))
        // The recording begins after the first message. On a busy machine the page may be disconnected before that.
        while !bench.client.core.wantsEvents, await recorder.pageCount > 0 {}
        // Asks until the server has noticed that the page doesn't read its list.
        while await recorder.pageCount > 0 {}
        #expect(server.stalledCount == 1)
        #expect(!bench.client.core.wantsEvents)

        let back = try #require(await Page.open(server.port))
        let second = try #require(await back.next("hello"))
        // The same session, but the recording began again, so the page knows that events are missing.
        #expect(second.session == first.session)
        #expect(first.recording == 1)
        #expect(second.recording == 2)
        let list = try #require(await back.next("stores") { $0.rows?.isEmpty == false })
        #expect(list.full == true)
        await server.stop()
    }
}
