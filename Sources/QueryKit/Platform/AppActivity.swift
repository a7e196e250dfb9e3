#if canImport(Darwin)
    import Foundation

    #if os(macOS)
        import AppKit
    #elseif os(watchOS)
        import WatchKit
    #else
        import UIKit
    #endif

    /// Reports when the app becomes active or inactive, on Apple platforms.
    enum AppActivity {
        static func watch(_ notify: @escaping @Sendable (Bool) -> Void) -> QuerySubscription {
            let subscriptions = Lock<[QuerySubscription]?>([])
            // The notification names are isolated to the main actor. The subscription owns the task and cancels it.
            let task = Task { @MainActor in
                if Task.isCancelled { return }
                let begun = [
                    NotificationWatch.start(comesForward) { notify(true) },
                    NotificationWatch.start(leaves) { notify(false) },
                ]
                let isTooLate = subscriptions.withLock { subscriptions in
                    if subscriptions != nil { subscriptions = begun }
                    return subscriptions == nil
                }
                if isTooLate { for subscription in begun { subscription.cancel() } }
            }
            return QuerySubscription {
                task.cancel()
                let ended = subscriptions.withLock { subscriptions in
                    defer { subscriptions = nil }
                    return subscriptions
                }
                for subscription in ended ?? [] { subscription.cancel() }
            }
        }

        #if os(macOS)
            @MainActor private static var comesForward: Notification.Name { NSApplication.didBecomeActiveNotification }
            @MainActor private static var leaves: Notification.Name { NSApplication.didResignActiveNotification }
        #elseif os(watchOS)
            @MainActor private static var comesForward: Notification.Name { WKApplication.didBecomeActiveNotification }
            @MainActor private static var leaves: Notification.Name { WKApplication.didEnterBackgroundNotification }
        #else
            // An app that is only covered for a moment, for example by Control Center, stays active.
            @MainActor private static var comesForward: Notification.Name { UIApplication.didBecomeActiveNotification }
            @MainActor private static var leaves: Notification.Name { UIApplication.didEnterBackgroundNotification }
        #endif
    }
#endif
