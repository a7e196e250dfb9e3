package import Foundation
package import QueryKit

/// A mutation of numbers. The test decides what it does, what it shows optimistically and what it invalidates.
package struct Change: DurableMutationRequest {
    /// The arguments of a call.
    package struct Step: Codable, Hashable, Sendable {
        package let id: Int
        package let amount: Int

        package init(_ amount: Int, to id: Int = 1) {
            self.id = id
            self.amount = amount
        }
    }

    package let scope: String?

    package init(scope: String? = nil) { self.scope = scope }

    package var path: QueryPath { ["change", scope ?? ""] }

    package func validate(in context: QueryContext) throws {
        if scope == "invalid" { throw QueryError(.invalidParameters) }
        if !context.accounts.isOpen { throw QueryError(.invalidParameters, "The account is closed.") }
    }

    package func mutate(
        with step: Step,
        in context: QueryContext,
        with continuation: QueryContinuation<Int>
    ) async throws -> Int {
        try await context.accounts.mutate(step, context)
    }

    package func optimistic(with step: Step, in layers: inout QueryLayers) throws {
        if step.amount == Self.rejectedAmount { throw TestError("rejectedAmount") }
        layers.update(Number(step.id)) { $0 += step.amount }
    }

    package func invalidates(with step: Step, value: Int) -> [QueryPattern] {
        step.amount == 0 ? [] : [.path(["number", QueryPath.Element(step.id)])]
    }

    /// The amount at which the layers throw.
    package static let rejectedAmount = 13
}

/// The numbers that changes are made to, like a server's. Counts the calls and runs the test's closure.
package final class Accounts: Sendable {
    package struct Call: Sendable {
        package let step: Change.Step
        package let number: Int
        package let context: QueryContext
    }

    private let state = Lock<(numbers: [Int: Int], calls: [Change.Step], keys: [UUID?])>(([:], [], []))
    // See Backend.
    private struct Rule { var before: @Sendable (Call) async throws -> Void }

    private let rule: Lock<Rule>

    /// Whether changes are accepted, as while a user is signed in.
    package let isOpen: Bool

    package init(isOpen: Bool = true, before: @escaping @Sendable (Call) async throws -> Void = { _ in }) {
        self.isOpen = isOpen
        rule = Lock(Rule(before: before))
    }

    /// The calls received, in order.
    package var calls: [Change.Step] { state.withLock { $0.calls } }

    /// The id of each call.
    package var keys: [UUID?] { state.withLock { $0.keys } }

    package func behave(_ before: @escaping @Sendable (Call) async throws -> Void) { rule.withLock { $0.before = before } }

    package subscript(id: Int) -> Int { state.withLock { $0.numbers[id] ?? 0 } }

    package func mutate(_ step: Change.Step, _ context: QueryContext) async throws -> Int {
        let number = state.withLock { state in
            state.calls.append(step)
            state.keys.append(context.mutationID)
            return state.calls.count
        }
        try await rule.withLock { $0.before }(Call(step: step, number: number, context: context))
        return state.withLock { state in
            state.numbers[step.id, default: 0] += step.amount
            return state.numbers[step.id] ?? 0
        }
    }
}

extension QueryContext {
    private enum AccountsKey: Key {
        static var defaultValue: Accounts { Accounts() }
    }

    package var accounts: Accounts {
        get { self[AccountsKey.self] }
        set { self[AccountsKey.self] = newValue }
    }
}

/// A client whose numbers come from a accounts. Its runs and calls are `.online` by default: paused before their first attempt.
package struct MutationBench: Sendable {
    package let clock: ManualClock
    package let network: ManualNetworkObserver
    package let accounts: Accounts
    package let backend: Backend
    package let client: QueryClient

    package init(
        journal: (any MutationJournal)? = nil,
        session: String? = nil,
        isOnline: Bool = true,
        mode: QueryNetworkMode = .online,
        accounts: Accounts = Accounts(),
        clock: ManualClock = ManualClock(),
        activity: (any ActivityObserver)? = nil,
        before: @escaping @Sendable (Accounts.Call) async throws -> Void = { _ in },
        adjusting adjust: (inout QueryContext) -> Void = { _ in }
    ) {
        (self.accounts, self.clock) = (accounts, clock)
        accounts.behave(before)
        network = ManualNetworkObserver(isOnline: isOnline)
        backend = Backend { accounts[$0.id] }
        var context = QueryContext()
        context.clock = clock
        context.backend = backend
        context.accounts = accounts
        context.networkObserver = network
        context.activityObserver = activity
        context.networkMode = mode
        context.mutationJournal = journal
        context.session = session
        adjust(&context)
        client = QueryClient(context: context, configuration: .isolated)
    }

    package var changes: QueryStore<MutationState<Change.Step, Int>> { client.store(for: Change()) }

    /// Waits until the state of the calls satisfies a closure.
    package func wait(
        for request: Change = Change(),
        until condition: @escaping @Sendable (MutationState<Change.Step, Int>) -> Bool
    ) async {
        for await holds in client.store(for: request).select(condition) where holds { return }
    }
}
