import QueryKit

/// A fake for one function of a repository or service: records its calls, waits at a gate, and returns what the test has set.
///
/// ```swift
/// struct FakeNotes: NoteRepository {
///     let reading = FakeFunction<Void, [String]>(returning: ["Milk"])
///     let adding = FakeFunction<String, Void>()
///
///     func notes() async throws -> [String] { try await reading() }
///     func add(_ note: String) async throws { try await adding(note) }
/// }
///
/// notes.adding.gate.failOnce(with: NoServer())
/// #expect(notes.adding.inputs == ["Bread"])
/// ```
///
/// Its ``gate`` is open unless you create the function with `isHeld: true`. If a function has several parameters, use a tuple:
/// `FakeFunction<(String, Int), Void>`.
public final class FakeFunction<Input: Sendable, Output: Sendable>: Sendable {
    private struct State {
        var inputs: [Input] = []
        var answer: @Sendable (Input) async throws -> Output
    }

    /// Where each call waits before it returns. Use it to hold calls, to let them continue one by one, and to make them fail.
    public let gate = Gate()
    private let state: Lock<State>

    /// Creates a function that computes its results.
    ///
    /// - Parameters:
    ///   - isHeld: Whether the gate is closed at first. Default: `false`.
    ///   - answer: Computes the result of a call, after the gate has let it pass.
    public init(isHeld: Bool = false, _ answer: @escaping @Sendable (Input) async throws -> Output) {
        state = Lock(State(answer: answer))
        if !isHeld { gate.open() }
    }

    /// Creates a function that returns the same value for each call.
    ///
    /// - Parameters:
    ///   - value: The result of each call, until you call ``returns(_:)``.
    ///   - isHeld: Whether the gate is closed at first. Default: `false`.
    public convenience init(returning value: Output, isHeld: Bool = false) { self.init(isHeld: isHeld) { _ in value } }

    // MARK: The fake's side

    /// Records the call, waits at the gate, and returns the result.
    ///
    /// Throws what the gate throws: the error that the test has set, or a `CancellationError`.
    public func callAsFunction(_ input: Input) async throws -> Output {
        state.withLock { $0.inputs.append(input) }
        try await gate.pass()
        let answer = state.withLock { $0.answer }
        return try await answer(input)
    }

    // MARK: The test's side

    /// The inputs of all calls in order, including calls that the gate holds.
    public var inputs: [Input] { state.withLock { $0.inputs } }

    /// How many calls there were, including calls that the gate holds.
    public var callCount: Int { state.withLock { $0.inputs.count } }

    /// Sets the result of the calls that pass the gate from now on.
    public func returns(_ value: Output) { answers { _ in value } }

    /// Sets how to compute the results of the calls that pass the gate from now on.
    public func answers(_ answer: @escaping @Sendable (Input) async throws -> Output) { state.withLock { $0.answer = answer } }
}

extension FakeFunction where Input == Void {
    /// Records the call, waits at the gate, and returns the result.
    public func callAsFunction() async throws -> Output { try await callAsFunction(()) }
}

extension FakeFunction where Output == Void {
    /// Creates a function that returns nothing.
    ///
    /// - Parameter isHeld: Whether the gate is closed at first. Default: `false`.
    public convenience init(isHeld: Bool = false) { self.init(isHeld: isHeld) { _ in } }
}
