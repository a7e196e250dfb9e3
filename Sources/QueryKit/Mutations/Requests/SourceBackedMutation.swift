/// A mutation of a data source that tells the client of each change by itself, so that it has nothing to invalidate.
///
/// A store over whose value it has laid something is read again also if no change of the call has touched what that shows: a call that is made
/// again finds its work done and commits nothing, and another one finds something else than it expected. What it promised there must not stay.
package protocol SourceBackedMutation: MutationRequest {}
