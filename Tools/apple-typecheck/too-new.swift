// Must be refused: Mutex came with macOS 15 and iOS 18.
import Synchronization

let mutex = Mutex(0)
