import Foundation
import TestSupport
import Testing

@testable import QueryKit

@Suite struct MutationLinesTests {
    private final class Client: Sendable {}

    @Test func `R24 the end of a session cancels its calls, and none of the session that has begun`() {
        let client = Client()
        let (former, present) = (WeakOwner(client), WeakOwner(client))
        let lines = MutationLines()
        let cancelled = Recorder<String>()
        lines.add(UUID(), "change", in: former) { cancelled.note("former") }
        former.end()
        // The first call of the next session may come before the calls of the former one are cancelled.
        lines.add(UUID(), "change", in: present) { cancelled.note("present") }
        lines.cancelFormerSessions()
        #expect(cancelled.take() == ["former"])
        lines.cancel(matching: "change")
        #expect(cancelled.all.sorted() == ["former", "present"])
    }
}
