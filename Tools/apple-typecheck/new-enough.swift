// Must be accepted: the same type behind an availability check.
import Synchronization

func count() -> Int {
    guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, *) else { return 0 }
    let mutex = Mutex(0)
    return mutex.withLock { $0 }
}
