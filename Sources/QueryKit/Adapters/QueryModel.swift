/// An object that provides the client for its properties of type ``SharedQuery`` and ``SharedMutation``.
///
/// ```swift
/// @MainActor @Observable final class TripsModel: QueryModel {
///     let queryClient: QueryClient
///
///     @ObservationIgnored @SharedQuery(AllTrips()) var trips
///     @ObservationIgnored @SharedMutation(AddTrip()) var addTrip
///
///     init(queryClient: QueryClient) { self.queryClient = queryClient }
/// }
/// ```
///
/// A property takes the client when it is first read through the object. A property that was created with a client keeps it. Without a
/// `QueryModel`, a property uses the client that `QueryClient.with` has set for the task that created it, or ``QueryClient/shared``.
///
/// Don't read the properties in `init` before `queryClient` is set, nor through their storage, such as `_trips.state`: they would then use
/// the shared client.
public protocol QueryModel: AnyObject {
    /// The client of the properties.
    var queryClient: QueryClient { get }
}
