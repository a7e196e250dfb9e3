import Foundation

/// What a mutation does at the two ends of its run.
struct MutationRunHooks: Sendable {
    /// The call of the mutation, which owns layers.
    let owner: LayerStack.Owner
    /// Notes in the record that the run has begun, or how it ended. Called with the store's lock held, and so made of our own code only.
    let begin: @Sendable (inout QueryRecord, Int32) -> Void
    let end: @Sendable (inout QueryRecord, StoreInput) -> Void
    /// Counts the call while it works.
    let token: WorkToken
    /// Takes the pass that keeps queries waiting until the mutation is through.
    let hold: @Sendable (QuerySubscription) -> Void
}
