// What QueryKit uses of WatchKit. A stub declares; it is never run.
import Foundation

// The names may or may not be of the main actor, by the version of the SDK: here they are, which is the stricter case.
@MainActor
@available(watchOS 7, *)
open class WKApplication: NSObject {
    public class var didBecomeActiveNotification: NSNotification.Name { fatalError() }
    public class var didEnterBackgroundNotification: NSNotification.Name { fatalError() }
}
