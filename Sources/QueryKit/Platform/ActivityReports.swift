/// Turns what the notifications and the state of an app show into reports of an activity observer.
///
/// A watch begins with the assumption that the app is active. So the notification at the end of a launch changes nothing, and it must be
/// found out that an app was launched in the background: iOS posts no notification then. Before its state is looked at, such an app can't
/// be told from one that was launched in the foreground, so it refetches nothing if it becomes active within 4 s, or, if it was suspended
/// before the look, within 20 s.
final class ActivityReports: Sendable {
    /// The state of an app, as its platform describes it.
    enum AppState: Sendable {
        case active, inactive, background
    }

    /// After how many seconds to look at the state, for the first and for the second time. An app with scenes is in the background during
    /// each launch, and the first look at one that is launched slowly may be the first thing that its main thread does.
    static let delay = 2
    /// Longer than the launch of an app in the foreground: iOS ends an app that takes longer.
    static let launchLimit = Duration.seconds(20)

    private let reports: SystemObserver<Bool>.Reports
    private let isKnown = Flag()
    private let wasInBackground = Flag()

    init(_ reports: SystemObserver<Bool>.Reports) { self.reports = reports }

    /// Reports a notification.
    ///
    /// - Parameter elapsed: The real time since the watch began.
    func report(isActive: Bool, after elapsed: Duration) {
        // An app that was launched in the background may have been suspended before its state was looked at.
        if isKnown.raise(), isActive, elapsed > Self.launchLimit { reports.set(false) }
        reports.set(isActive)
    }

    /// Notes the state at a look; `nil` if it can't be read.
    func look(at state: AppState?) {
        switch state {
        case .active: _ = isKnown.raise()
        case .background: if !wasInBackground.raise(), isKnown.raise() { reports.set(false) }
        case .inactive, nil: break
        }
    }
}
