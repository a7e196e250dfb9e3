// On Apple platforms a flag is a lock too, so the counts differ there.
#if DEBUG && os(Linux)
    import TestSupport
    import Testing

    @testable import QueryKit

    /// How many locks an operation takes. Counted in a process of its own, because other tests take locks too.
    struct LockCountTests {
        @Test func `a fetch through a store takes at most six locks`() async {
            await #expect(processExitsWith: .success) {
                let store = QueryClient(configuration: .isolated).store(for: Plain())
                let count = try await usualCount { try await store.fetch() }
                precondition((1...6).contains(count), "A fetch takes \(count) locks")
            }
        }

        @Test func `a fetch through the client takes at most eight locks`() async {
            await #expect(processExitsWith: .success) {
                let client = QueryClient(configuration: .isolated)
                let count = try await usualCount { try await client.fetch(Plain()) }
                precondition((1...8).contains(count), "A fetch takes \(count) locks")
            }
        }

        @Test func `fetching a fresh value takes at most four locks`() async {
            await #expect(processExitsWith: .success) {
                let client = QueryClient(configuration: .isolated)
                let count = try await usualCount { try await client.fetch(Plain().ttl(.infinity)) }
                precondition((1...4).contains(count), "It takes \(count) locks")
            }
        }
    }

    /// The median, because after a certain number of runs their rates are examined too.
    private func usualCount(_ work: () async throws -> Int) async throws -> Int {
        var counts: [Int] = []
        for _ in 0..<1_000 {
            let before = LockCount.total
            _ = try await work()
            counts.append(LockCount.total - before)
        }
        return counts.sorted()[500]
    }

    private struct Plain: QueryRequest {
        func fetch(in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int { 7 }
    }
#endif
