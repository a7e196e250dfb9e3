/// A mutation of a data source that reports each change to the client, so that the mutation need not invalidate anything.
///
/// A store that shows a layer of the call is refetched even if no change of the call concerns it: a repeated call finds its work done and
/// commits nothing, and another call may find something unexpected. The optimistic change must not stay in the store then.
package protocol SourceBackedMutation: MutationRequest {}
