#if canImport(Darwin)
    import Darwin
    import Dispatch

    /// Listens to the log of a database, to which each commit is written, and to the folder, to notice that the log was made anew.
    ///
    /// The database itself is never opened: who closes a descriptor of a file gives up all locks that the process has on it (fcntl(2)), and
    /// SQLite's lie there. On the log it has none.
    // Invariant: `log` is used on `queue` alone; the rest is immutable, and nothing is done with `folder` once it is active but to cancel it,
    // which Dispatch allows on any thread.
    final class LogWatch: @unchecked Sendable {
        private let path: String
        private let queue = DispatchQueue(label: "QueryKitSQLite.FileWatch")
        /// Entered for each descriptor that is open.
        private let descriptors = DispatchGroup()
        private let onChange: @Sendable () -> Void
        private let folder: any DispatchSourceProtocol
        private var log: Log?

        /// `nil` where the folder can not be opened.
        init?(_ place: FileWatch.Place, onClose: @escaping @Sendable () -> Void, onChange: @escaping @Sendable () -> Void) {
            let descriptor = open(place.folder, O_EVTONLY | O_CLOEXEC | O_DIRECTORY)
            guard descriptor >= 0 else { return nil }
            path = place.folder + place.logName
            self.onChange = onChange
            // An entry was made, renamed or removed. What is written to a file is not told here.
            folder = DispatchSource.makeFileSystemObjectSource(fileDescriptor: descriptor, eventMask: .write, queue: queue)
            descriptors.enter()
            // Until it is cancelled, the source keeps this watch.
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
            // A log that is there already is no news, and what is written to it from now on is told.
            queue.sync { _ = followLog() }
        }

        func cancel() { folder.cancel() }

        /// Listens to the file that is the log by now. Returns whether that is another one than before.
        private func followLog() -> Bool {
            let old = log
            // A descriptor keeps the number of its file from being given to another.
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

    /// A log that is listened to.
    private struct Log {
        let source: PausingSource
        /// Tells the file from one that takes its place.
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
            source = PausingSource(
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

        /// The number of the file that lies there; `nil` if there is none.
        static func number(at path: String) -> ino_t? {
            var entry = stat()
            return lstat(path, &entry) == 0 ? entry.st_ino : nil
        }
    }
#endif
