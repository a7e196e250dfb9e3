import Foundation

/// The owner of a private run that isn't shared by the callers of a store: the call of a mutation.
protocol RunOwner: AnyObject, Sendable {
    /// Identifies the layers that belong to it.
    var id: LayerStack.Owner { get }

    /// The changes that it makes in data sources, if it has layers or is part of a call that has some.
    var effects: CallEffects? { get }

    /// The cause of its run and of its events.
    var cause: QueryCause { get }

    /// Notes that its run begins. Called with the store's lock held.
    func note(start number: Int32, in record: inout QueryRecord)

    /// Notes a run that has begun and brought its value before the state was read. Called with the store's lock held.
    func note(run number: Int32, bringing value: AnyValue, at date: Date, in record: inout QueryRecord)

    /// Notes a value that the run has yielded, unless it is over. Called with the store's lock held.
    func note(yield value: AnyValue, of number: Int32, in record: inout QueryRecord)

    /// Notes a failed attempt that another one will follow. Called with the store's lock held.
    func note(failure error: any Error, in record: inout QueryRecord)

    /// Checks, before an attempt that follows a wait, that the call may still be made. Throws `CancellationError` if not.
    func checkLease() async throws

    /// Keeps a pass until the mutation is over. As long as the pass is held, queries wait.
    func hold(_ pass: QuerySubscription)
}
