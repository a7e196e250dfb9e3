#if os(Linux)
    import Foundation

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// The link by which a Linux system says which time zone it is set to (localtime(5)). Foundation reads it once a process.
    struct TimeZoneLink: Sendable {
        static let system = TimeZoneLink(folder: "/etc")

        /// The folder of `localtime`.
        let folder: String

        /// The time zone that the link names; `nil` if it is none, or if the process has a time zone of its own in `TZ`.
        var timeZone: TimeZone? {
            guard ProcessInfo.processInfo.environment["TZ"] == nil,
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/localtime"),
                let place = target.range(of: "zoneinfo/")
            else { return nil }
            return TimeZone(identifier: String(target[place.upperBound...]))
        }

        func watch(_ tell: @escaping @Sendable (TimeZone) -> Void) -> QuerySubscription {
            // Opened before the first look, so that no change falls between the two.
            let descriptor = openChanges()
            let latest = Lock(timeZone)
            return DescriptorWatch.start(descriptor) {
                if let timeZone, latest.exchange(timeZone) != timeZone { tell(timeZone) }
            }
        }

        /// A descriptor that is readable whenever an entry of the folder was made, replaced or written (inotify(7)); `nil` where there is none.
        func openChanges() -> Int32? {
            let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
            guard descriptor >= 0 else { return nil }
            if inotify_add_watch(descriptor, folder, UInt32(IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE)) >= 0 { return descriptor }
            close(descriptor)
            return nil
        }
    }
#endif
