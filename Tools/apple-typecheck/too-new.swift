// Must be refused: Mutex was introduced in macOS 15 and iOS 18.
import Synchronization

let mutex = Mutex(0)
