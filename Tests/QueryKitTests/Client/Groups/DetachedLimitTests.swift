import QueryKit
import TestSupport
import Testing

/// A limit, and a fetch that waits for another one in a task that inherits nothing.
struct DetachedLimitTests {
    @Test func `with a limit of one, a fetch that waits for another one in a detached task ends`() async throws {
        var configuration = QueryClient.Configuration.isolated
        configuration.setLimit(1)
        let bench = TestBench(configuration: configuration) { call in
            guard call.id == 1, let client = call.context.queryClient else { return 7 }
            return try await Task.detached { try await client.fetch(Number(2)) }.value
        }
        let client = bench.client
        let results = Recorder<Result<Int, any Error>>()
        let task = Task { try await client.fetch(Number(1)) }
        let noting = Task { results.note(await task.result) }
        await withKnownIssue("the inner run waits for the place of the outer one") {
            #expect(await reaches(within: shortTimeLimit) { results.count == 1 })
            #expect((try? results.all.first?.get()) == 7)
        }
        client.cancel("number/**")
        await noting.value
        try await client.settled(timeout: .seconds(20))
    }
}
