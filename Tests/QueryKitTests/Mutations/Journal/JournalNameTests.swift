import Foundation
import QueryKitTesting
import TestSupport
import Testing

@testable import QueryKit

private struct Hidden: DurableMutationRequest {
    func mutate(with amount: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
        try await context.accounts.mutate(Change.Step(amount), context)
    }

    func optimistic(with amount: Int, in layers: inout QueryLayers) { layers.update(Number()) { $0 += amount } }
}

struct JournalNameTests {
    private let journal = MemoryMutationJournal()

    /// Makes a call without a network and ends the process.
    private func leave<Request: MutationRequest<Int, Int>>(_ request: Request) async throws {
        let bench = MutationBench(journal: journal, isOnline: false)
        _ = try bench.client.submit(request, with: 5)
        await bench.client.settled()
        bench.client.reset(session: "the process ends here")
        await bench.client.settled()
    }

    @Test func `R36 R32 a call of an unknown mutation stays in the journal and is reported once`() async throws {
        try await leave(Trips.Add(scope: "s"))
        let mistakes = Recorder<QueryMistake>()
        let accounts = Accounts()
        var context = MutationBench(journal: journal, accounts: accounts).client.context
        context.queryClient = nil
        let client = QueryClient(context: context, configuration: .recording(mistakes))
        let events = client.events
        for _ in 1...2 {
            let (resumed, aside) = try await client.resumeMutations(of: [Food.Add.self])
            #expect(resumed.isEmpty && aside.isEmpty)
        }
        // It doesn't hold up later calls of its scope.
        #expect(try await client.mutate(Change(scope: "s"), with: Change.Step(3)) == 3)
        await client.settled()
        #expect(accounts.calls == [Change.Step(3)])
        #expect(try await journal.entries().map(\.name) == ["TestSupport.Trips.Add"])
        #expect(mistakes.kinds == [.unknownMutation])
        #expect(
            mistakes.all.first?.message == """
                Calls of TestSupport.Trips.Add stay in the journal, because resumeMutations got no mutation with this name. Add it to the \
                list. If its type has a new name, declare the former one: `static let journalName = "TestSupport.Trips.Add"`.
                """
        )
        var refusals: [String?] = []
        for await event in events {
            if event.kind == .mutationRefused { refusals.append((event.error as? QueryError)?.message) }
            if event.kind == .mutationSucceeded { break }
        }
        #expect(refusals == mistakes.all.map(\.message))

        // Another client makes it at once.
        let next = MutationBench(journal: journal)
        #expect(try await next.client.resumeMutations(of: [Food.Add.self, Trips.Add.self]).resumed.count == 1)
        await next.client.settled()
        #expect(next.accounts.calls == [Change.Step(5, to: 2)])
        #expect(try await journal.entries().isEmpty)
    }

    private var local: some DurableMutationRequest<Int, Int> {
        struct Local: DurableMutationRequest {
            func mutate(with amount: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
                amount
            }
        }
        return Local()
    }

    @Test func `R36 a durable mutation with a private or local type in its name is refused before anything happens`() async throws {
        let bench = MutationBench(journal: journal)
        let number = bench.client.store(for: Number())
        number.setValue(1)
        func check(_ request: some DurableMutationRequest<Int, Int>, _ name: String) async {
            let errors = [
                await #expect(throws: QueryError.self) { try await bench.client.mutate(request, with: 5) },
                #expect(throws: QueryError.self) { try bench.client.submit(request, with: 5) },
                await #expect(throws: QueryError.self) { try await bench.client.resumeMutations(of: [Change.self, type(of: request)]) },
            ]
            #expect(errors.allSatisfy { $0?.code == .invalidParameters })
            let message = """
                \(name) can't be stored under the name of a private or local type, because that name differs in each launch. Declare \
                `static let journalName = "…"` in it, or make the type internal.
                """
            #expect(errors.allSatisfy { $0?.message == message })
            #expect(bench.client.store(for: request).history.isEmpty)
        }
        await check(Hidden(), "Hidden")
        await check(local, "JournalNameTests.Local")
        #expect(number.value == 1)
        #expect(bench.accounts.calls.isEmpty)
        #expect(try await journal.entries().isEmpty)
        // Without a journal, a call needs no name.
        #expect(try await MutationBench().client.mutate(Hidden(), with: 5) == 5)
    }

    @Test func `R36 a renamed mutation with the former name makes its calls`() async throws {
        struct Send: DurableMutationRequest {
            static let journalName = "send"
            func mutate(with amount: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
                amount
            }
        }
        struct Deliver: DurableMutationRequest {
            static let storedName = "send"
            func mutate(with amount: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
                try await context.accounts.mutate(Change.Step(amount), context)
            }
        }
        try await leave(Send())
        let next = MutationBench(journal: journal)
        #expect(try await next.client.resumeMutations(of: [Deliver.self]).resumed.count == 1)
        await next.client.settled()
        #expect(next.accounts[1] == 5)
    }

    @Test func `R36 a second mutation with the same journal name is refused`() async throws {
        struct Send: DurableMutationRequest {
            static let journalName = "post"
            func mutate(with amount: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
                amount
            }
        }
        struct Deliver: DurableMutationRequest {
            static let journalName = "post"
            func mutate(with amount: Int, in context: QueryContext, with continuation: QueryContinuation<Int>) async throws -> Int {
                try await context.accounts.mutate(Change.Step(amount), context)
            }
        }
        let client = MutationBench(journal: journal).client
        #expect(try await client.mutate(Send(), with: 5) == 5)
        let calls: [@Sendable () async throws -> Void] = [
            { _ = try await client.mutate(Deliver(), with: 5) }, { _ = try await client.resumeMutations(of: [Deliver.self]) },
        ]
        for call in calls {
            let error = await #expect(throws: QueryError.self) { try await call() }
            #expect(error?.code == .invalidParameters)
            for name in ["Send", "Deliver", "post", "journalName"] { #expect(error?.message.contains(name) == true) }
        }
        #expect(try await client.resumeMutations(of: [Send.self]).resumed == [])
    }

    @Test func `R36 controls of two mutations with equal paths don't wait for each other`() async throws {
        let gate = Gate()
        let bench = MutationBench { call in if call.step.id == 1 { try await gate.pass() } }
        let food = try bench.client.submitNewest(Food.Add(), with: 5)
        await gate.arrived()
        #expect(try await bench.client.submitNewest(Trips.Add(), with: 7).value == 7)
        gate.open()
        #expect(try await food.value == 5)
    }
}
