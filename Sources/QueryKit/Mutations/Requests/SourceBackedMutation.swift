/// A mutation of a data source that reports each change to the client, so that the mutation need not invalidate anything.
///
/// A store that shows a layer of the call is refetched even if no change of the call affects the store. For example, a repeated call finds
/// its work already done and commits nothing. Without the refetch, the optimistic change would stay in the store.
package protocol SourceBackedMutation: MutationRequest {}
