import Dispatch
import Observation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

/// The main actor must stop showing the previous user's data as soon as the session ends, even within the current turn.
@MainActor
struct AdapterSessionTests {
    private let client = QueryClient.test()
    private let gate = Gate()

    private var name: InlineQuery<String> { InlineQuery("name") { context in context.session ?? "none" } }

    private func rename(_ gate: Gate) -> InlineMutation<String, Void> {
        InlineMutation("rename") { _, _ in try await gate.pass() }
            .optimistic { name, layers in layers.update(InlineQuery<String>("name")) { $0 = name } }
    }

    private func end(_ session: String?, elsewhere isElsewhere: Bool) {
        if isElsewhere {
            DispatchQueue.global().sync { [client] in client.reset(session: session) }
        } else {
            client.reset(session: session)
        }
    }

    @Test(arguments: [false, true])
    func `R24 a shared query and a mirror stop showing the previous session in the turn in which it ends`(isElsewhere: Bool) async {
        client.reset(session: "Ada")
        let (query, mirror) = (SharedQuery(name, client: client), QueryMirror(name, client: client))
        _ = query.wrappedValue
        await client.settled()
        #expect((query.wrappedValue, mirror.value) == ("Ada", "Ada"))
        end("Ben", elsewhere: isElsewhere)
        #expect(query.wrappedValue != "Ada")
        #expect(mirror.value != "Ada")
        await client.settled()
        #expect((query.wrappedValue, mirror.value) == ("Ben", "Ben"))
    }

    @Test(arguments: [false, true])
    func `R24 an optimistic value and a mutation's history disappear in the turn their session ends`(isElsewhere: Bool) async throws {
        client.reset(session: "Ada")
        let query = SharedQuery(name, client: client)
        let mutation = SharedMutation(rename(gate), client: client)
        _ = query.wrappedValue
        await client.settled()
        try mutation.submit("Ada's secret")
        #expect(query.wrappedValue == "Ada's secret")
        #expect(mutation.history.count == 1)
        end("Ben", elsewhere: isElsewhere)
        #expect(query.wrappedValue != "Ada's secret")
        #expect(mutation.history.isEmpty)
        gate.open()
        await client.settled()
        #expect(query.wrappedValue == "Ben")
        #expect(mutation.history.isEmpty)
    }

    @Test func `R24 a property with a default shows the default after its session ends`() async {
        client.reset(session: "Ada")
        let query = SharedQuery(name, default: "default", client: client)
        _ = query.wrappedValue
        await client.settled()
        #expect(query.wrappedValue == "Ada")
        client.cancel(.all)
        client.reset(session: nil)
        #expect(query.wrappedValue == "default" || query.wrappedValue == "none")
        await client.settled()
        #expect(query.wrappedValue == "none")
    }

    @Test(arguments: [false, true])
    func `R24 observers are notified of a session's end even if another reader saw the new state first`(isElsewhere: Bool) async {
        client.reset(session: "Ada")
        let gated = InlineQuery("gated") { [gate] context in
            try await gate.pass()
            return context.session ?? "none"
        }
        let query = SharedQuery(gated, client: client)
        gate.openOnce()
        _ = query.wrappedValue
        await client.settled()
        #expect(query.wrappedValue == "Ada")
        let seen = await change(
            of: { query.wrappedValue },
            after: {
                end("Ben", elsewhere: isElsewhere)
                #expect(query.wrappedValue == nil)
            }
        )
        #expect(seen == nil)
        gate.open()
        await client.settled()
        #expect(query.wrappedValue == "Ben")
    }

    @Test func `within one session a shared query shows the same value for a whole turn`() async {
        let query = SharedQuery(name.enabled(false), client: client)
        client.setValue("old", for: name)
        #expect(query.wrappedValue == "old")
        client.setValue("new", for: name)
        #expect(query.wrappedValue == "old")
        await client.settled()
        #expect(query.wrappedValue == "new")
    }
}
