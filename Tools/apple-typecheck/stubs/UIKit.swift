// The parts of UIKit that QueryKit uses. Stubs only declare; they are never run.
import Foundation

// Whether the names are isolated to the main actor depends on the version of the SDK. Here they are, which is the stricter case.
@MainActor
open class UIApplication: NSObject {
    public class var didBecomeActiveNotification: NSNotification.Name { fatalError() }
    public class var didEnterBackgroundNotification: NSNotification.Name { fatalError() }
    public enum State: Int { case active, inactive, background }
    public var applicationState: State { fatalError() }
}
