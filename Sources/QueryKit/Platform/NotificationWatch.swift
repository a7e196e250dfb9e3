#if canImport(Darwin)
    import Foundation

    /// Notification observers as subscriptions.
    enum NotificationWatch {
        // Invariant: the object is only passed back to the notification center, which accepts it on any thread.
        private struct Token: @unchecked Sendable {
            let object: any NSObjectProtocol
        }

        /// Calls `action` at each notification with a name, on the thread that posts it.
        static func start(_ name: Notification.Name, _ action: @escaping @Sendable () -> Void) -> QuerySubscription {
            let token = Token(object: NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in action() })
            return QuerySubscription { NotificationCenter.default.removeObserver(token.object) }
        }
    }
#endif
