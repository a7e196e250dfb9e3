/// An event of a store that is not described yet.
///
/// Making a note costs the client little: it calls no code of the app, and allocates nothing.
struct EventNote: Sendable {
    let kind: QueryEvent.Kind
    /// The settings of the store, which have its request. Unlike the store they retain no value.
    let settings: RequestSettings
    let store: Int
    let cause: QueryCause
    let instant: QueryInstant
    var error: (any Error)?
    var run: Int?
    var duration: Duration?
    var reason: QueryEvent.Reason?

    /// The event with the path of the request. The path is computed by code of the app.
    var event: QueryEvent {
        QueryEvent(
            kind: kind,
            path: settings.request.path,
            cause: cause,
            instant: instant,
            error: error,
            run: run,
            duration: duration,
            reason: reason,
            store: store
        )
    }
}
