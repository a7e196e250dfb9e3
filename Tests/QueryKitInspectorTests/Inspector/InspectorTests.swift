import Foundation
import TestSupport
import Testing

@testable import QueryKit
@testable import QueryKitInspector

struct InspectorTests {
    private func inspector(_ client: QueryClient) async throws -> QueryInspector {
        try await QueryInspector.start(client, name: "Diary", token: "secret", announce: { _ in })
    }

    // MARK: What is sent

    @Test func `a page gets the session, the complete list, and then only what has changed`() async throws {
        let bench = TestBench()
        let stores = (1...3).map { bench.client.store(for: Number($0)) }
        let subscriptions = stores.map { $0.subscribe(with: QueryEventHandler { _, _ in }) }
        await bench.client.settled()
        let inspector = try await inspector(bench.client)
        let page = try #require(await Page.open(inspector.port))
        let hello = try #require(await page.next("hello"))
        #expect(hello.clients?.map(\.name) == ["client"])
        #expect(hello.clients?.map(\.manualClock) == [true])
        #expect(hello.allowsActions == false)
        #expect(hello.showsValues == false)
        let list = try #require(await page.next("stores") { $0.rows?.isEmpty == false })
        #expect(list.full == true)
        #expect(Set(list.rows?.map(\.path) ?? []) == ["number/1", "number/2", "number/3"])
        #expect(list.rows?.map(\.status) == ["success", "success", "success"])
        #expect(list.rows?.map(\.subscribers) == [1, 1, 1])

        bench.client.invalidate(Number(2))
        await bench.client.settled()
        let change = try #require(await page.next("stores") { $0.rows?.contains { $0.runs == 2 && $0.last != nil } == true })
        #expect(change.full == false)
        #expect(change.rows?.map(\.path) == ["number/2"])
        #expect(change.removed == [])
        #expect(change.seq > list.seq)

        for subscription in subscriptions { subscription.cancel() }
        bench.client.remove(["number", 3])
        let removal = try #require(await page.next("stores") { $0.removed?.isEmpty == false })
        #expect(removal.removed == list.rows?.filter { $0.path == "number/3" }.map(\.id))
        await inspector.stop()
    }

    @Test func `a long list comes in parts`() async throws {
        let bench = TestBench()
        for number in 0..<2_500 { bench.client.setValue(number, for: Number(number)) }
        let inspector = try await inspector(bench.client)
        let page = try #require(await Page.open(inspector.port))
        var parts: [Page.Message] = []
        var count = 0
        while count < 2_500 {
            let part = try #require(await page.next("stores"))
            parts.append(part)
            count += part.rows?.count ?? 0
        }
        #expect(parts.first?.full == true)
        #expect(parts.dropFirst().allSatisfy { $0.full == false })
        #expect(parts.allSatisfy { ($0.rows?.count ?? 0) <= 1_000 })
        #expect(Set(parts.flatMap { $0.rows ?? [] }.map(\.id)).count == 2_500)
        await inspector.stop()
    }

    @Test func `an event leads to the change that caused it`() async throws {
        let bench = TestBench()
        let subscription = bench.client.store(for: Number(7)).subscribe(with: QueryEventHandler { _, _ in })
        await bench.client.settled()
        let inspector = try await inspector(bench.client)
        let page = try #require(await Page.open(inspector.port))
        let row = try #require(await page.next("stores") { $0.rows?.isEmpty == false }?.rows?.first)
        bench.client.invalidate("number/**")
        let events = await page.events(upTo: "runSucceeded")
        let change = try #require(events.first { $0.kind == "changed" }?.change)
        #expect(change.kind == "invalidate")
        #expect(change.pattern == "number/**")
        let run = try #require(events.first { $0.kind == "runStarted" })
        #expect(run.origin == change.n)
        #expect(run.store == row.id)
        #expect(run.path == "number/7")
        #expect(events.map(\.n) == Array(0..<events.count))
        let details = try #require(await inspector.get("/api/store?client=0&id=\(row.id)"))
        let why = try #require(details.json["why"] as? [String: Any])
        #expect(why["cause"] as? String == run.cause)
        #expect(why["start"] as? Double == 0)
        let cause = try #require(why["change"] as? [String: Any])
        #expect(cause["kind"] as? String == "invalidate")
        #expect(cause["pattern"] as? String == "number/**")
        #expect(cause["t"] as? Double == 0)
        #expect((details.json["history"] as? [Any])?.count == 2)
        subscription.cancel()
        await inspector.stop()
    }

    @Test func `pages share the history`() async throws {
        let bench = TestBench()
        let inspector = try await inspector(bench.client)
        let first = try #require(await Page.open(inspector.port))
        _ = await first.next("stores")
        _ = try await bench.client.fetch(Number(1))
        let events = await first.events(upTo: "runSucceeded")
        let second = try #require(await Page.open(inspector.port))
        #expect(await second.events(upTo: "runSucceeded").map(\.kind) == events.map(\.kind))
        await inspector.stop()
    }

    @Test func `the export is the whole session`() async throws {
        let bench = TestBench()
        _ = try await bench.client.fetch(Number(1))
        let inspector = try await inspector(bench.client)
        let session = try #require(await inspector.get("/api/export")?.json)
        #expect(session["format"] as? String == "querykit-session")
        #expect(session["version"] as? Int == 1)
        let stores = (session["stores"] as? [String: [[String: Any]]])?["0"]
        #expect(stores?.compactMap { $0["path"] as? String } == ["number/1"])
        let keys: Set<String> = ["format", "version", "hello", "stores", "details", "events", "metrics", "mutations", "surroundings"]
        #expect(Set(session.keys) == keys)
        await inspector.stop()
    }

    @Test func `the export contains what a page shows of a store, except for the events, which it has already`() async throws {
        let bench = TestBench()
        let query = InlineQuery<Int>("counter")
        bench.client.setValue(1, for: query)
        let inspector = try await QueryInspector.start(bench.client, token: "secret", showsValues: true, announce: { _ in })
        let page = try #require(await Page.open(inspector.port))
        let id = try #require(await page.next("stores") { $0.rows?.isEmpty == false }?.rows?.first?.id)
        // The value before the current one is known only of a store that a page has shown.
        _ = await inspector.get("/api/store?client=0&id=\(id)")
        bench.client.setValue(2, for: query)
        let session = try #require(await inspector.get("/api/export")?.json)
        var shown = try #require(await inspector.get("/api/store?client=0&id=\(id)")?.json)
        #expect((shown["previous"] as? [String: Any])?["text"] as? String == "1")
        shown["history"] = NSNull()
        let exported = try #require((session["details"] as? [String: [String: [String: Any]]])?["0"]?["\(id)"])
        #expect(exported as NSDictionary == shown as NSDictionary)
        await inspector.stop()
    }

    @Test func `the export contains everything about the stores shown last, then of observed ones, up to a limit`() async throws {
        let bench = TestBench()
        for number in 1...300 { bench.client.setValue(number, for: Number(number)) }
        let subscription = bench.client.store(for: Number(250)).subscribe(with: QueryEventHandler { _, _ in })
        await bench.client.settled()
        let inspector = try await inspector(bench.client)
        let inspection = bench.client.inspection
        let ids = Dictionary(uniqueKeysWithValues: inspection.rows(inspection.marks().map(\.id)).map { ($0.path, $0.id) })
        _ = await inspector.get("/api/store?client=0&id=\(try #require(ids["number/299"]))")
        let session = try #require(await inspector.get("/api/export")?.json)
        let details = try #require((session["details"] as? [String: [String: Any]])?["0"])
        #expect(details.count == 200)
        let wanted = try (["number/299", "number/250"] + (1...198).map { "number/\($0)" }).map { "\(try #require(ids[$0]))" }
        #expect(Set(details.keys) == Set(wanted))
        subscription.cancel()
        await inspector.stop()
    }

    @Test func `a page shows what a pattern would affect`() async throws {
        let bench = TestBench()
        let subscription = bench.client.store(for: Number(1)).subscribe(with: QueryEventHandler { _, _ in })
        bench.client.setValue(2, for: Number(2))
        await bench.client.settled()
        let inspector = try await inspector(bench.client)
        let found = try #require(await inspector.get("/api/affected?client=0&pattern=number/**")?.json["stores"] as? [[String: Any]])
        let runs = Dictionary(uniqueKeysWithValues: found.map { ($0["path"] as? String ?? "", $0["runs"] as? Bool) })
        #expect(runs == ["number/1": true, "number/2": false])
        #expect(bench.backend.count == 1)
        #expect(await inspector.get("/api/affected?client=0")?.status == 400)
        #expect(await inspector.get("/api/affected?client=9&pattern=a")?.status == 404)
        #expect(await inspector.get("/api/affected?pattern=a")?.status == 400)
        #expect(await inspector.get("/api/regions?client=0")?.json["regions"] as? [String] == [])
        subscription.cancel()
        await inspector.stop()
    }

    @Test func `an unknown address or method is refused`() async throws {
        let inspector = try await inspector(TestBench().client)
        #expect(await inspector.get("/etc/passwd")?.status == 404)
        #expect(await inspector.get("/../inspector.html")?.status == 404)
        #expect(await inspector.get("/api/action")?.status == 405)
        #expect(await response(from: inspector.port, to: "HEAD /", ["X-QueryKit-Token: secret"])?.status == 405)
        #expect(await inspector.get("/api/store?client=0&id=99")?.status == 404)
        #expect(await response(from: inspector.port, to: "GET /")?.status == 403)
        await inspector.stop()
    }

    // MARK: Life

    @Test func `a client is listened to only while a page is open`() async throws {
        let bench = TestBench()
        let inspector = try await inspector(bench.client)
        #expect(!bench.client.core.wantsEvents)
        let page = try #require(await Page.open(inspector.port))
        _ = await page.next("stores")
        #expect(bench.client.core.wantsEvents)
        page.close()
        // Asks the recorder until it has noticed.
        while await inspector.recorder.pageCount > 0 {}
        #expect(!bench.client.core.wantsEvents)
        let again = try #require(await Page.open(inspector.port))
        _ = await again.next("stores")
        #expect(bench.client.core.wantsEvents)
        await inspector.stop()
        #expect(!bench.client.core.wantsEvents)
    }

    @Test func `a client that is deallocated while a page is open is reported as gone`() async throws {
        var bench: TestBench? = TestBench()
        _ = try await bench?.client.fetch(Number(1))
        let inspector = try await inspector(try #require(bench).client)
        let page = try #require(await Page.open(inspector.port))
        let list = try #require(await page.next("stores") { $0.rows?.isEmpty == false })
        bench = nil
        #expect(await page.next("gone")?.client == 0)
        let id = try #require(list.rows?.first?.id)
        let details = try #require(await inspector.get("/api/store?client=0&id=\(id)"))
        #expect(details.status == 404)
        #expect(details.json["error"] as? String == "The client was deallocated.")
        let later = try #require(await Page.open(inspector.port))
        #expect(await later.next("hello")?.clients?.map(\.gone) == [true])
        await inspector.stop()
    }

    @Test func `several clients are on one page`() async throws {
        let (first, second) = (TestBench(), TestBench())
        let inspector = try await inspector(first.client)
        let page = try #require(await Page.open(inspector.port))
        #expect(await page.next("hello")?.clients?.count == 1)
        second.client.setValue(5, for: Number(5))
        await inspector.add(second.client, name: "Import")
        #expect(await page.next("hello")?.clients?.map(\.name) == ["client", "Import"])
        let list = try #require(await page.next("stores") { $0.client == 1 && $0.rows?.isEmpty == false })
        #expect(list.rows?.map(\.path) == ["number/5"])
        await inspector.stop()
    }

    @Test func `two inspectors of one client don't disturb each other`() async throws {
        let bench = TestBench()
        let (first, second) = (try await inspector(bench.client), try await inspector(bench.client))
        #expect(first.port != second.port)
        let (one, two) = (try #require(await Page.open(first.port)), try #require(await Page.open(second.port)))
        _ = await one.next("stores")
        _ = await two.next("stores")
        _ = try await bench.client.fetch(Number(1))
        #expect(await one.events(upTo: "runSucceeded").last?.path == "number/1")
        #expect(await two.events(upTo: "runSucceeded").last?.path == "number/1")
        await first.stop()
        #expect(bench.client.core.wantsEvents)
        _ = try await bench.client.fetch(Number(2))
        #expect(await two.events(upTo: "runSucceeded").last?.path == "number/2")
        await second.stop()
        #expect(!bench.client.core.wantsEvents)
    }

    @Test func `stopping tells the pages and closes the port`() async throws {
        let bench = TestBench()
        let inspector = try await inspector(bench.client)
        let port = inspector.port
        let page = try #require(await Page.open(inspector.port))
        _ = await page.next("hello")
        await inspector.stop()
        #expect(await page.next("bye")?.reason == "The inspector was stopped.")
        #expect(await page.isEnded())
        await inspector.stop()
        #expect(await browse(port) { _ in true } == nil)
    }

    @Test func `an inspector that is deallocated stops`() async throws {
        let bench = TestBench()
        var inspector: QueryInspector? = try await inspector(bench.client)
        let port = inspector?.port ?? 0
        let page = try #require(await Page.open(port))
        _ = await page.next("stores")
        inspector = nil
        // Reads up to the end of the stream.
        #expect(await page.next("none") == nil)
        // The port is closed at about the same time.
        while await browse(port, { _ in true }) != nil {}
    }

    @Test func `a port that is taken is an error that says what to do`() async throws {
        let bench = TestBench()
        let inspector = try await inspector(bench.client)
        let error = await #expect(throws: QueryInspectorError.self) {
            try await QueryInspector.start(bench.client, port: inspector.port, announce: { _ in })
        }
        #expect(error?.code == .portTaken)
        #expect(
            error?.description == """
                The inspector can't use port \(inspector.port): another program or another inspector listens at it. Use \
                port 0 for a free one.
                """
        )
        await inspector.stop()
    }

    @Test func `the address is announced once, with a new token for each inspector`() async throws {
        let bench = TestBench()
        let announced = TestSupport.Recorder<String>()
        var tokens: Set<String> = []
        for _ in 0..<2 {
            let inspector = try await QueryInspector.start(bench.client, announce: { announced.note($0) })
            let query = inspector.url.query() ?? ""
            #expect(announced.take() == ["QueryKit inspector: http://127.0.0.1:\(inspector.port)/?\(query)"])
            #expect(query.hasPrefix("token="))
            tokens.insert(query)
            await inspector.stop()
        }
        #expect(tokens.count == 2)
    }
}
