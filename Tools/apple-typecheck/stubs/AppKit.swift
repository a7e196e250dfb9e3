// The parts of AppKit that QueryKit uses. Stubs only declare; they are never run.
import Foundation

// Whether the names are isolated to the main actor depends on the version of the SDK. Here they are, which is the stricter case.
@MainActor
open class NSApplication: NSObject {
    public class var didBecomeActiveNotification: NSNotification.Name { fatalError() }
    public class var didResignActiveNotification: NSNotification.Name { fatalError() }
    public var isActive: Bool { fatalError() }
}

@MainActor public var NSApp: NSApplication! { fatalError() }
