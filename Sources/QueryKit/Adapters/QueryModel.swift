/// An object whose properties of type ``SharedQuery`` and ``SharedMutation`` belong to its client.
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
/// A property takes the client when it is first read through the object. A property with a client of its own keeps that. Without a `QueryModel` it
/// takes the client that `QueryClient.with` has set for the task which made it, else ``QueryClient/shared``.
///
/// Don't read the properties in `init` before `queryClient` is set, nor by their storage, such as `_trips.state`: they then belong to the shared client.
public protocol QueryModel: AnyObject {
    /// The client of the properties.
    var queryClient: QueryClient { get }
}
