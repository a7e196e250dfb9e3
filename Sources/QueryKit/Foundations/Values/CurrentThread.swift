import Foundation

/// Facts about the thread that is running.
package enum CurrentThread {
    #if canImport(Darwin)
        /// Whether it is the main thread.
        package static var isMain: Bool { Thread.isMainThread }
    #else
        /// The key under which each thread stores the answer: 1 for the main thread, 2 for others.
        private static let answer: pthread_key_t? = {
            var key = pthread_key_t()
            return pthread_key_create(&key, nil) == 0 ? key : nil
        }()

        /// Whether it is the main thread. Foundation finds out with two system calls, so each thread asks it only once.
        package static var isMain: Bool {
            guard let answer else { return Thread.isMainThread }
            let known = Int(bitPattern: pthread_getspecific(answer))
            if known != 0 { return known == 1 }
            let isMain = Thread.isMainThread
            pthread_setspecific(answer, UnsafeRawPointer(bitPattern: isMain ? 1 : 2))
            return isMain
        }
    #endif
}
