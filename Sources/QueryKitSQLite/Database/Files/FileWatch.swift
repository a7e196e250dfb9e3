@preconcurrency import Dispatch

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Notifies when this or another process may have written to a database.
///
/// A notification is only a hint: several writes may cause one, one write may cause two, and without free descriptors there is no watch at
/// all. Listeners must check the file themselves, and also check it periodically without a notification.
final class FileWatch: Sendable {
    private let end: @Sendable () -> Void

    /// Starts watching; `nil` if that is impossible, for example because the folder doesn't exist.
    ///
    /// - Parameters:
    ///   - databasePath: The database. Its folder must exist; the file may be created later.
    ///   - onClose: Called last, when the watch has ended and its descriptors are closed.
    ///   - onChange: Called on a private serial queue, so calls never overlap. Retained until the watch has ended.
    init?(of databasePath: String, onClose: @escaping @Sendable () -> Void = {}, onChange: @escaping @Sendable () -> Void) {
        let location = Location(databasePath)
        #if canImport(Darwin)
            guard let watch = LogWatch(location, onClose: onClose, onChange: onChange) else { return nil }
            end = { watch.cancel() }
        #elseif os(Linux)
            guard let end = FolderWatch.start(location, onClose: onClose, onChange: onChange) else { return nil }
            self.end = end
        #else
            return nil
        #endif
    }

    /// Ends the watch. A call that another thread is about to make may still occur.
    func cancel() { end() }

    deinit { end() }
}

/// A dispatch source that pauses after each event, and then reports all events of the pause together.
///
/// Commits of this process wake the watch as well; without a pause, each commit would wake three threads.
// Invariant: the source is only suspended, resumed and cancelled, which Dispatch allows on any thread, and each suspension is followed by
// one resumption.
final class ThrottledSource: @unchecked Sendable {
    private static let pause = DispatchTimeInterval.milliseconds(10)

    private let source: any DispatchSourceProtocol
    private let queue: DispatchQueue

    /// - Parameter source: A source that isn't active yet.
    init(_ source: any DispatchSourceProtocol, on queue: DispatchQueue) { (self.source, self.queue) = (source, queue) }

    /// - Parameters:
    ///   - onEvent: Returns whether the event concerns the watch.
    ///   - onCancel: Called when the descriptor may be closed.
    func activate(onEvent: @escaping @Sendable () -> Bool, onCancel: @escaping @Sendable () -> Void) {
        // The source retains this object until it is cancelled.
        source.setEventHandler { [self] in
            guard onEvent() else { return }
            source.suspend()
            queue.asyncAfter(deadline: .now() + Self.pause) { [self] in source.resume() }
        }
        source.setCancelHandler(handler: onCancel)
        source.activate()
    }

    func cancel() { source.cancel() }
}

extension FileWatch {
    /// The location of a database.
    struct Location: Sendable {
        /// Ends with a slash.
        let folder: String
        let name: String

        /// Resolves symbolic links as SQLite does, which names the log after the target of the link.
        init(_ databasePath: String) {
            let path = Self.target(of: databasePath) ?? databasePath
            guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else {
                folder = "./"
                name = path
                return
            }
            folder = String(path[...slash])
            name = String(path[path.utf8.index(after: slash)...])
        }

        var logName: String { name + "-wal" }

        /// The path without symbolic links; `nil` if the file doesn't exist. The file isn't opened, because closing it would release
        /// SQLite's locks.
        private static func target(of path: String) -> String? {
            guard let target = realpath(path, nil) else { return nil }
            defer { free(target) }
            return String(cString: target)
        }
    }
}
