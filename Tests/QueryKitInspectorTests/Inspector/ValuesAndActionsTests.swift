import Foundation
import TestSupport
import Testing

@testable import QueryKit
@testable import QueryKitInspector

/// A value that notes when it is described.
private struct Diagnosis: Hashable, Sendable, CustomStringConvertible {
    static let described = TestSupport.Recorder<String>()
    let name: String

    var description: String {
        Self.described.note(name)
        return "diagnosis of \(name)"
    }
}

/// A value with a description of 100 MB.
private struct Huge: Hashable, Sendable, CustomStringConvertible {
    var description: String { String(repeating: "0123456789", count: 10_000_000) }
}

struct ValuesAndActionsTests {
    private func inspector(_ client: QueryClient, allowsActions: Bool = false, showsValues: Bool = false) async throws -> QueryInspector {
        try await QueryInspector.start(
            client,
            token: "secret",
            allowsActions: allowsActions,
            showsValues: showsValues,
            announce: { _ in }
        )
    }

    /// The details of the only store.
    private func details(_ inspector: QueryInspector) async throws -> [String: Any] {
        let session = try #require(await inspector.get("/api/export")?.json)
        let row = try #require((session["stores"] as? [String: [[String: Any]]])?["0"]?.first)
        let id = try #require(row["id"] as? Int)
        return try #require(await inspector.get("/api/store?client=0&id=\(id)")?.json)
    }

    private func value(_ details: [String: Any], _ name: String = "value") -> [String: Any]? { details[name] as? [String: Any] }

    private func row(_ details: [String: Any]) -> [String: Any]? { details["row"] as? [String: Any] }

    // MARK: Values

    @Test func `without permission a value is never described`() async throws {
        let bench = TestBench()
        bench.client.setValue(Diagnosis(name: "hidden"), for: InlineQuery<Diagnosis>("diagnosis"))
        let inspector = try await inspector(bench.client)
        let page = try #require(await Page.open(inspector.port))
        _ = await page.next("stores") { $0.rows?.isEmpty == false }
        let value = try #require(value(try await details(inspector)))
        #expect(value["redacted"] as? Bool == true)
        #expect(value["text"] is NSNull)
        #expect(value["tree"] is NSNull)
        let session = try #require(await inspector.get("/api/export")?.body)
        #expect(!session.contains("hidden"))
        #expect(!Diagnosis.described.all.contains("hidden"))
        await inspector.stop()
    }

    @Test func `with permission a page shows a value and the one before it`() async throws {
        let bench = TestBench()
        let query = InlineQuery<Diagnosis>("diagnosis")
        bench.client.setValue(Diagnosis(name: "first"), for: query)
        let inspector = try await inspector(bench.client, showsValues: true)
        let before = try await details(inspector)
        #expect(value(before)?["text"] as? String == "diagnosis of first")
        #expect(value(before)?["redacted"] as? Bool == false)
        #expect(before["previous"] is NSNull)
        bench.client.setValue(Diagnosis(name: "second"), for: query)
        for _ in 0..<2 {
            let after = try await details(inspector)
            #expect(value(after)?["text"] as? String == "diagnosis of second")
            #expect(value(after, "previous")?["text"] as? String == "diagnosis of first")
        }
        await inspector.stop()
    }

    @Test func `the former value is known of the twenty stores that pages have shown last`() throws {
        let bench = TestBench()
        let probe = ClientProbe(bench.client, id: 0, name: "client")
        for number in 1...21 { bench.client.setValue(number, for: Number(number)) }
        let ids = Dictionary(uniqueKeysWithValues: probe.inspection.rows(probe.inspection.marks().map(\.id)).map { ($0.path, $0.id) })
        func hasFormer(_ number: Int) throws -> Bool {
            let id = try #require(ids["number/\(number)"])
            let details = try #require(probe.exportedDetails(of: id, showsValues: true))
            return !String(decoding: details.bytes, as: UTF8.self).contains(#""previous":null"#)
        }
        for number in 1...21 { _ = probe.details(of: try #require(ids["number/\(number)"]), showsValues: true) }
        for number in 1...21 { bench.client.setValue(number + 1, for: Number(number)) }
        #expect(try [1, 2, 21].map { try hasFormer($0) } == [false, true, true])
    }

    @Test func `of a description of a hundred megabytes only the beginning is sent`() async throws {
        let bench = TestBench()
        bench.client.setValue(Huge(), for: InlineQuery<Huge>("huge"))
        let inspector = try await inspector(bench.client, showsValues: true)
        let value = try #require(value(try await details(inspector)))
        #expect(value["truncated"] as? Bool == true)
        #expect((value["text"] as? String)?.count == 100_000)
        await inspector.stop()
    }

    // MARK: Actions

    @Test func `an inspector without permission refuses each action`() async throws {
        let bench = TestBench()
        _ = try await bench.client.fetch(Number(1))
        let inspector = try await inspector(bench.client)
        for action in ["invalidate", "refetch", "reset", "remove", "cancel", "load", "fail", "stale", "restore", "network", "advance"] {
            let reply = try #require(await inspector.act(#"{"client":0,"action":"\#(action)","pattern":"**","id":0,"ms":1}"#))
            #expect(reply.status == 403)
            #expect((reply.json["error"] as? String)?.contains("allowsActions: true") == true)
        }
        #expect(bench.client.storeCount == 1)
        #expect(bench.clock.now == .zero)
        await inspector.stop()
    }

    @Test func `with permission a page acts on the client`() async throws {
        let bench = TestBench()
        let subscription = bench.client.store(for: Number(1)).subscribe(with: QueryEventHandler { _, _ in })
        await bench.client.settled()
        let inspector = try await inspector(bench.client, allowsActions: true)
        #expect(await inspector.act(#"{"client":0,"action":"invalidate","pattern":"number/**"}"#)?.json["count"] as? Int == 1)
        await bench.client.settled()
        #expect(bench.backend.count == 2)
        #expect(await inspector.act(#"{"client":0,"action":"advance","ms":1500}"#)?.json["count"] as? Int == 1)
        #expect(bench.clock.now == QueryInstant.zero.advanced(by: .milliseconds(1500)))
        let id = try #require(row(try await details(inspector))?["id"] as? Int)
        #expect(await inspector.act(#"{"client":0,"action":"fail","id":\#(id)}"#)?.json["count"] as? Int == 1)
        #expect(row(try await details(inspector))?["status"] as? String == "failure")
        #expect(await inspector.act(#"{"client":0,"action":"restore","id":\#(id)}"#)?.json["count"] as? Int == 1)
        #expect(row(try await details(inspector))?["status"] as? String == "success")
        subscription.cancel()
        await inspector.stop()
    }

    private static let noAction = "The action is not valid JSON with a client and an action."
    private static let noTime = "Advance the clock by a positive number of milliseconds."
    private static let noClient = "There is no client with this number."

    @Test(
        arguments: [
            ("", 400, noAction), ("{", 400, noAction), ("[]", 400, noAction), (#"{"client":0}"#, 400, noAction),
            (#"{"client":0,"action":"format"}"#, 400, "There is no action \"format\"."),
            (#"{"client":0,"action":"invalidate"}"#, 400, "This action needs a pattern or the id of a store."),
            (#"{"client":0,"action":"load"}"#, 400, "This action needs the id of a store."),
            (#"{"client":0,"action":"advance","ms":-1}"#, 400, noTime), (#"{"client":0,"action":"advance","ms":1e300}"#, 400, noTime),
            (#"{"client":7,"action":"invalidate","pattern":"**"}"#, 404, noClient),
            (#"{"client":-1,"action":"invalidate","pattern":"**"}"#, 404, noClient),
        ] as [(String, Int, String)]
    )
    func `an action that makes no sense is refused with a sentence`(body: String, status: Int, sentence: String) async throws {
        let client = TestBench().client
        let inspector = try await inspector(client, allowsActions: true)
        let reply = try #require(await inspector.act(body))
        #expect(reply.status == status)
        #expect(reply.json["error"] as? String == sentence)
        await inspector.stop()
    }

    @Test func `an action must be JSON, with the token as a field`() async throws {
        let client = TestBench().client
        let inspector = try await inspector(client, allowsActions: true)
        let action = #"{"client":0,"action":"invalidate","pattern":"**"}"#
        #expect(await inspector.act(action, type: "text/plain")?.status == 415)
        #expect(await inspector.act(action, type: "application/json; charset=utf-8")?.status == 200)
        let form = await response(
            from: inspector.port,
            to: "POST /api/action?token=secret",
            ["Content-Type: application/json"],
            body: action
        )
        #expect(form?.status == 403)
        await inspector.stop()
    }
}
