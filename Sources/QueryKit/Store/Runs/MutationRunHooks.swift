import Foundation

/// What a mutation notes of its run.
struct MutationRunHooks: Sendable {
    /// The call of the mutation, which owns layers.
    let owner: LayerStack.Owner
    /// What it changes, if it has layers.
    let effects: CallEffects?
    // Called with the store's lock held, and so made of our own code only.

    /// Notes in the record that the run has begun, and when.
    let begin: @Sendable (inout QueryRecord, Int32, Date) -> Void
    /// What it has yielded.
    let yield: @Sendable (inout QueryRecord, AnyValue) -> Void
    /// That an attempt failed, and another one follows.
    let fail: @Sendable (inout QueryRecord, any Error) -> Void
    /// How it ended, and when.
    let end: @Sendable (inout QueryRecord, StoreInput, Date) -> Void
    /// Counts the call while it works.
    let token: WorkToken
    /// Takes the pass that keeps queries waiting until the mutation is through.
    let hold: @Sendable (QuerySubscription) -> Void
}
