import Foundation
import TestSupport
import Testing

@testable import QueryKit

struct ArchivedValuesTests {
    private let client = Launch().client

    private func archive(_ ids: ClosedRange<Int>) -> [QueryClientArchive.Entry] {
        ids.map { id in
            QueryClientArchive.Entry(
                key: QueryCacheKey(path: ["number", QueryPath.Element(id)], type: "T"),
                value: QueryCacheEntry(data: Data(), date: Launch.day)
            )
        }
    }

    /// The ids that are present; invalidated ones are marked.
    private func glance(_ values: ArchivedValues, _ pattern: QueryPattern = .all) -> Set<String> {
        Set(values.entries(matching: pattern).map { $0.key.path[1] + ($0.value.isInvalidated ? "!" : "") })
    }

    @Test func `R28 R16 R17 a change while an archive is being restored also applies to entries still to come`() async {
        let values = ArchivedValues(client.core)
        let all = Set((1...200).map(String.init))
        var pauses = 0
        await values.takeOver(archive(1...200)) {
            pauses += 1
            guard pauses == 2 else { return }
            for id in [1, 200] { values.receive(.removed(["number", .value(QueryPath.Element(id))])) }
            for id in [2, 199] { values.receive(.invalidated(["number", .value(QueryPath.Element(id))])) }
        }
        #expect(pauses == 4)
        #expect(glance(values) == all.subtracting(["1", "2", "199", "200"]).union(["2!", "199!"]))
        // Another archive is newer than the change.
        await values.takeOver(archive(200...200)) {}
        #expect(glance(values, "number/200") == ["200"])
    }

    @Test func `R28 R16 R17 a change reaches a value being decoded for its store, and a new session keeps it archived`() async throws {
        for (change, shown, left): (@Sendable (QueryClient) -> Void, String, Set<String>) in [
            ({ _ in }, "10", []),
            ({ $0.invalidate("number/*") }, "10 invalidated", []),
            ({ $0.invalidate("food/*") }, "10", []),
            ({ $0.remove("number/*") }, "idle", []),
            ({ $0.reset(session: "b") }, "idle", ["1"]),
            (
                {
                    $0.reset(session: "b")
                    $0.clear()
                }, "idle", []
            ),
        ] {
            let client = Launch().client
            let values = ArchivedValues(client.core)
            _ = client.core.patterns.listener(for: ObjectIdentifier(values)) { _ in values }
            client.core.source.withLock { $0 = values }
            let decode = { @Sendable [weak client] (_: Data) -> AnyValue in
                if let client { change(client) }
                return AnyValue(10)
            }
            let persistence = QueryPersistence(version: 1, encode: { _ in Data() }, decode: decode)
            let request = Number(1).setting { $0.settings.persistence = persistence }
            let key = try QueryCacheKey(request, persistence, client.context)
            await values.takeOver([QueryClientArchive.Entry(key: key, value: QueryCacheEntry(data: Data(), date: Launch.day))]) {}
            #expect(StateSummary(client.store(for: request).state).description == shown)
            #expect(glance(values) == left)
        }
    }

    @Test func `R28 R17 changes from before the restore are applied to the archive's entries from the start`() async {
        client.invalidate("number/3")
        client.remove("number/4")
        let values = ArchivedValues(client.core)
        var seen: [Set<String>] = []
        await values.takeOver(archive(1...100)) { seen.append(glance(values, ["number", .any]).intersection(["3", "3!", "4", "4!"])) }
        #expect(seen == [["3!", "4"], ["3!", "4"]])
    }
}
