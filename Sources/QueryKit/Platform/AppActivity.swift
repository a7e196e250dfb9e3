#if canImport(Darwin)
    import Dispatch
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
        static func watch(_ listeners: SystemObserver<Bool>.Reports) -> QuerySubscription {
            let reports = ActivityReports(listeners)
            let begin = ContinuousClock.now
            let subscriptions = Lock<[QuerySubscription]?>([])
            // The notification names are isolated to the main actor. The subscription owns the task and cancels it.
            let task = Task { @MainActor in
                if Task.isCancelled { return }
                let begun = [
                    NotificationWatch.start(comesForward) { reports.report(isActive: true, after: begin.duration(to: .now)) },
                    NotificationWatch.start(leaves) { reports.report(isActive: false, after: begin.duration(to: .now)) },
                ]
                look(reports, andAgain: true)
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

        @MainActor private static func look(_ reports: ActivityReports, andAgain isFirst: Bool) {
            DispatchQueue.main.asyncAfter(deadline: .now() + .seconds(ActivityReports.delay)) {
                MainActor.assumeIsolated {
                    reports.look(at: state)
                    if isFirst { look(reports, andAgain: false) }
                }
            }
        }

        #if os(macOS)
            @MainActor private static var comesForward: Notification.Name { NSApplication.didBecomeActiveNotification }
            @MainActor private static var leaves: Notification.Name { NSApplication.didResignActiveNotification }
            /// `nil` in a program that isn't an app.
            @MainActor private static var state: ActivityReports.AppState? {
                NSApp.map { $0.isActive ? .active : .background }
            }
        #elseif os(watchOS)
            @MainActor private static var comesForward: Notification.Name { WKApplication.didBecomeActiveNotification }
            @MainActor private static var leaves: Notification.Name { WKApplication.didEnterBackgroundNotification }
            @MainActor private static var state: ActivityReports.AppState? {
                switch WKApplication.shared().applicationState {
                case .active: .active
                case .background: .background
                default: .inactive
                }
            }
        #else
            // An app that is only covered for a moment, for example by Control Center, stays active.
            @MainActor private static var comesForward: Notification.Name { UIApplication.didBecomeActiveNotification }
            @MainActor private static var leaves: Notification.Name { UIApplication.didEnterBackgroundNotification }
            /// The application is found by its name, because code of app extensions, which have none, must not mention it.
            @MainActor private static var state: ActivityReports.AppState? {
                let name = NSSelectorFromString("sharedApplication")
                guard UIApplication.responds(to: name),
                    let app = UIApplication.perform(name)?.takeUnretainedValue() as? UIApplication
                else { return nil }
                return switch app.applicationState {
                case .active: .active
                case .background: .background
                default: .inactive
                }
            }
        #endif
    }
#endif
