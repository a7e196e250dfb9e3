#if QUERYKIT_PERTURBED
    import Foundation

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Makes threads yield or sleep at random before and after they hold a lock, so that tests exercise rare interleavings.
    ///
    /// It exists only in builds with `-DQUERYKIT_PERTURBED`, such as the build of `make nightly`. The decisions follow from the seed
    /// `QUERYKIT_PERTURBED_SEED`, or from a random one; the seed is printed. The same seed leads to the same decisions, but the system may
    /// still schedule the threads differently.
    @usableFromInline
    enum LockPerturbation {
        // Invariant: read and written only by `roll`, with its lock held.
        nonisolated(unsafe) private static var random = announcedSeed()
        // Invariant: created once, before its first use, and never released.
        nonisolated(unsafe) private static let raw = {
            let raw = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
            pthread_mutex_init(raw, nil)
            return raw
        }()

        /// Yields one time in 32, and sleeps for up to 100 µs one time in 256.
        @usableFromInline
        static func pause() {
            let number = roll()
            if number % 256 == 0 { usleep(UInt32(number >> 32) % 100) } else if number % 32 == 0 { sched_yield() }
        }

        /// The next random number (SplitMix64). Uses a raw mutex, because ``Lock`` calls ``pause()``.
        private static func roll() -> UInt64 {
            pthread_mutex_lock(raw)
            random &+= 0x9e37_79b9_7f4a_7c15
            var mixed = random
            pthread_mutex_unlock(raw)
            mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
            return mixed ^ (mixed >> 31)
        }

        private static func announcedSeed() -> UInt64 {
            let chosen = ProcessInfo.processInfo.environment["QUERYKIT_PERTURBED_SEED"].flatMap { UInt64($0) }
            let seed = chosen ?? UInt64.random(in: 0..<1_000_000)
            FileHandle.standardError.write(Data("Locks are perturbed; to repeat: QUERYKIT_PERTURBED_SEED=\(seed)\n".utf8))
            return seed
        }
    }
#endif
