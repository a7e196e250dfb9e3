// The parts of WatchKit that QueryKit uses. Stubs only declare; they are never run.
import Foundation

// Whether the names are isolated to the main actor depends on the version of the SDK. Here they are, which is the stricter case.
@MainActor
@available(watchOS 7, *)
open class WKApplication: NSObject {
    public class var didBecomeActiveNotification: NSNotification.Name { fatalError() }
    public class var didEnterBackgroundNotification: NSNotification.Name { fatalError() }
    public class func shared() -> WKApplication { fatalError() }
    public var applicationState: WKApplicationState { fatalError() }
}

public enum WKApplicationState: Int { case active, inactive, background }
