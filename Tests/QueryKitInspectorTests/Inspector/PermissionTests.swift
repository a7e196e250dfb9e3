import Foundation
import TestSupport
import Testing

@testable import QueryKit
@testable import QueryKitInspector

/// An error whose text must not be sent.
private struct Refusal: Error, CustomStringConvertible { let description = "confidential" }

/// A mutation whose calls fail, with arguments that must not be sent without permission.
private struct Diagnose: DurableMutationRequest {
    static let journalName = "Diagnose"

    struct Patient: Codable, Hashable, Sendable { let name: String }

    var path: QueryPath { "diagnose" }

    func mutate(with patient: Patient, in context: QueryContext, with continuation: QueryContinuation<Void>) async throws {
        throw Refusal()
    }
}

/// What a page receives with and without `showsValues`.
struct PermissionTests {
    /// Everything that a page can get of a client with values, arguments, failures and a journal.
    private struct Received {
        var stream = ""
        var details: [String] = []
        /// The export while a page is open, and that of an inspector without one.
        var exports: [String] = []

        var all: [String] { [stream] + exports + details }
    }

    private func receive(showsValues: Bool) async throws -> Received {
        let bench = MutationBench(journal: MemoryMutationJournal(), session: "hidden user")
        let inspector = try await QueryInspector.start(bench.client, token: "secret", showsValues: showsValues, announce: { _ in })
        let page = try #require(await Page.open(inspector.port))
        let query = InlineQuery<String>("diagnosis")
        bench.client.setValue("hidden first", for: query)
        let id = try #require(await page.next("stores") { $0.rows?.isEmpty == false }?.rows?.first?.id)
        _ = await inspector.get("/api/store?client=0&id=\(id)")
        bench.client.setValue("hidden second", for: query)
        _ = try? await bench.client.fetch(InlineQuery<String>("failing") { _ in throw Refusal() })
        _ = try? await bench.client.submit(Diagnose(), with: Diagnose.Patient(name: "hidden failed")).value
        bench.network.set(isOnline: false)
        _ = try bench.client.submit(Diagnose(), with: Diagnose.Patient(name: "hidden paused"))
        var received = Received()
        // The page gets them in any order.
        var (hasCall, hasNetwork) = (false, false)
        while !hasCall || !hasNetwork {
            let message = try #require(await page.next(of: ["mutations", "surroundings"])).message
            if message.journal?.isEmpty == false, message.calls?.map(\.status) == ["paused"] { hasCall = true }
            if message.network?.waitingMutations == 1 { hasNetwork = true }
        }
        _ = await page.next("metrics")
        let inspection = bench.client.inspection
        for row in inspection.rows(inspection.marks().map(\.id)) {
            received.details.append(try #require(await inspector.get("/api/store?client=0&id=\(row.id)")).body)
        }
        received.exports.append(try #require(await inspector.get("/api/export")).body)
        let quiet = try await QueryInspector.start(bench.client, token: "secret", showsValues: showsValues, announce: { _ in })
        received.exports.append(try #require(await quiet.get("/api/export")).body)
        await quiet.stop()
        received.stream = page.transcript
        await inspector.stop()
        return received
    }

    @Test func `without permission a page gets no value, no argument and no name of a session`() async throws {
        let received = try await receive(showsValues: false)
        for text in received.all { #expect(!text.contains("hidden")) }
        // What could have contained them was sent.
        for kind in ["runFailed", "mutationFailed", "mutationPaused"] { #expect(received.stream.contains(kind)) }
        #expect(received.stream.contains(#""error":"Refusal""#))
        #expect(received.details.count == 3)
    }

    @Test func `with permission a page gets values, arguments and the name of the session`() async throws {
        let received = try await receive(showsValues: true)
        for text in ["hidden failed", "hidden paused", "hidden user"] {
            for part in [received.stream] + received.exports { #expect(part.contains(text)) }
        }
        for text in ["hidden first", "hidden second"] {
            #expect(received.details.contains { $0.contains(text) })
            #expect(received.exports[0].contains(text))
        }
        // No page of the other inspector has shown the former value.
        #expect(received.exports[1].contains("hidden second"))
    }

    @Test(arguments: [false, true]) func `the text of an error is never sent`(showsValues: Bool) async throws {
        for text in try await receive(showsValues: showsValues).all { #expect(!text.contains("confidential")) }
    }
}
