// What QueryKit uses of AppKit. A stub declares; it is never run.
import Foundation

// The names may or may not be of the main actor, by the version of the SDK: here they are, which is the stricter case.
@MainActor
open class NSApplication: NSObject {
    public class var didBecomeActiveNotification: NSNotification.Name { fatalError() }
    public class var didResignActiveNotification: NSNotification.Name { fatalError() }
}
