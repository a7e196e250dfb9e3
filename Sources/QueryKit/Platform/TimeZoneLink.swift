#if os(Linux)
    import Foundation

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// The symbolic link that determines the time zone of a Linux system (localtime(5)). Foundation reads it only once per process.
    struct TimeZoneLink: Sendable {
        static let system = TimeZoneLink(folder: "/etc")

        /// The folder that contains `localtime`.
        let folder: String

        /// The time zone of the link; `nil` if it names none, or if the process has its own time zone in `TZ`.
        var timeZone: TimeZone? {
            guard ProcessInfo.processInfo.environment["TZ"] == nil,
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/localtime"),
                let folder = target.range(of: "zoneinfo/")
            else { return nil }
            return TimeZone(identifier: String(target[folder.upperBound...]))
        }

        func watch(_ notify: @escaping @Sendable (TimeZone) -> Void) -> QuerySubscription {
            // Opened before the first read, so that no change is missed in between.
            let descriptor = openChanges()
            let latest = Lock(timeZone)
            return DescriptorWatch.start(descriptor) {
                if let timeZone, latest.exchange(timeZone) != timeZone { notify(timeZone) }
            }
        }

        /// A descriptor that is readable when an entry of the folder was created, replaced or written (inotify(7)); `nil` if it can't be
        /// opened.
        func openChanges() -> Int32? {
            let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
            guard descriptor >= 0 else { return nil }
            if inotify_add_watch(descriptor, folder, UInt32(IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE)) >= 0 { return descriptor }
            close(descriptor)
            return nil
        }
    }
#endif
