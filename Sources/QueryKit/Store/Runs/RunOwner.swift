import Foundation

/// Who has a run of its own, apart from the one that the callers of a store share: the call of a mutation.
protocol RunOwner: AnyObject, Sendable {
    /// Tells which layers belong to it.
    var id: LayerStack.Owner { get }

    /// What it changes, if it has layers or is part of a call that has some.
    var effects: CallEffects? { get }

    /// Notes that its run begins. Called with the store's lock held.
    func note(start number: Int32, in record: inout QueryRecord)

    /// Notes a run that began and brought its value before anybody read the state. Called with the store's lock held.
    func note(run number: Int32, bringing value: AnyValue, at date: Date, in record: inout QueryRecord)

    /// Notes a value that the run has yielded, unless it is over. Called with the store's lock held.
    func note(yield value: AnyValue, of number: Int32, in record: inout QueryRecord)

    /// Notes an attempt that failed and is followed by another. Called with the store's lock held.
    func note(failure error: any Error, in record: inout QueryRecord)

    /// Checks before an attempt that follows a wait that the call may still be made. Throws `CancellationError` if not.
    func checkLease() async throws

    /// Takes the pass that keeps queries waiting until the mutation is over.
    func hold(_ pass: QuerySubscription)
}
