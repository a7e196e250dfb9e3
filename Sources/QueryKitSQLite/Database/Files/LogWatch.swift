#if canImport(Darwin)
    import Darwin
    import Dispatch

    /// Watches the log of a database, because each commit writes to it, and the folder, because a new log may be created there.
    ///
    /// This class never opens the database file: closing a descriptor of a file releases all locks that the process has on it (fcntl(2)),
    /// and SQLite's locks are on the database file. SQLite has no locks on the log.
    // Invariant: `log` is used only on `queue`; the rest is immutable. Once `folder` is active, it is only cancelled, which Dispatch allows
    // on any thread.
    final class LogWatch: @unchecked Sendable {
        private let path: String
        private let queue = DispatchQueue(label: "QueryKitSQLite.FileWatch")
        /// Entered once for each open descriptor.
        private let descriptors = DispatchGroup()
        private let onChange: @Sendable () -> Void
        private let folder: any DispatchSourceProtocol
        private var log: Log?

        /// Returns `nil` if the folder can't be opened.
        init?(_ location: FileWatch.Location, onClose: @escaping @Sendable () -> Void, onChange: @escaping @Sendable () -> Void) {
            let descriptor = open(location.folder, O_EVTONLY | O_CLOEXEC | O_DIRECTORY)
            guard descriptor >= 0 else { return nil }
            path = location.folder + location.logName
            self.onChange = onChange
            // An entry was created, renamed or removed. Writes to files are not reported here.
            folder = DispatchSource.makeFileSystemObjectSource(fileDescriptor: descriptor, eventMask: .write, queue: queue)
            descriptors.enter()
            // The source retains this watch until it is cancelled.
            folder.setEventHandler { [self] in
                if followLog() { onChange() }
            }
            folder.setCancelHandler { [self] in
                log?.source.cancel()
                log = nil
                close(descriptor)
                descriptors.notify(queue: queue, execute: onClose)
                descriptors.leave()
            }
            folder.activate()
            // An existing log is not reported as a change; later writes to it are.
            queue.sync { _ = followLog() }
        }

        func cancel() { folder.cancel() }

        /// Watches the file that is the current log. Returns whether that file has changed since the last call.
        private func followLog() -> Bool {
            let old = log
            // While its descriptor is open, the inode of the file isn't reused.
            if let old, old.number == Log.number(at: path) { return false }
            log = Log(at: path, queue: queue, descriptors: descriptors) { [weak self] in
                guard let self else { return }
                _ = followLog()
                onChange()
            }
            old?.source.cancel()
            return old != nil || log != nil
        }
    }

    /// A watched log.
    private struct Log {
        let source: ThrottledSource
        /// The inode, which distinguishes the file from a replacement.
        let number: ino_t

        init?(at path: String, queue: DispatchQueue, descriptors: DispatchGroup, onChange: @escaping @Sendable () -> Void) {
            let descriptor = open(path, O_EVTONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            var entry = stat()
            guard fstat(descriptor, &entry) == 0 else {
                close(descriptor)
                return nil
            }
            number = entry.st_ino
            source = ThrottledSource(
                DispatchSource.makeFileSystemObjectSource(fileDescriptor: descriptor, eventMask: [.write, .delete, .rename], queue: queue),
                on: queue
            )
            descriptors.enter()
            source.activate {
                onChange()
                return true
            } onCancel: {
                close(descriptor)
                descriptors.leave()
            }
        }

        /// The inode of the file at a path; `nil` if there is none.
        static func number(at path: String) -> ino_t? {
            var entry = stat()
            return lstat(path, &entry) == 0 ? entry.st_ino : nil
        }
    }
#endif
