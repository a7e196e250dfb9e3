@preconcurrency import Dispatch

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Tells when somebody may have written to a database, this process or another.
///
/// It is a hint and no more: several writes may be told as one, one may be told twice, and a system that is short of descriptors has no watch
/// at all. Whoever listens looks for himself, and also does so from time to time when nothing was told.
final class FileWatch: Sendable {
    private let end: @Sendable () -> Void

    /// Begins to watch; `nil` where there can be no watch, for instance because the folder does not exist.
    ///
    /// - Parameters:
    ///   - databasePath: The database. Its folder must be there, the file itself may come later.
    ///   - onClose: Called last, when the watch has ended and its descriptors are closed.
    ///   - onChange: Called on a queue that the watch has to itself, so never twice at once; kept until the watch has ended.
    init?(of databasePath: String, onClose: @escaping @Sendable () -> Void = {}, onChange: @escaping @Sendable () -> Void) {
        let place = Place(databasePath)
        #if canImport(Darwin)
            guard let watch = LogWatch(place, onClose: onClose, onChange: onChange) else { return nil }
            end = { watch.cancel() }
        #elseif os(Linux)
            guard let end = FolderWatch.start(place, onClose: onClose, onChange: onChange) else { return nil }
            self.end = end
        #else
            return nil
        #endif
    }

    /// Ends the watch. A call that another thread was just about to make may still come.
    func cancel() { end() }

    deinit { end() }
}

/// A source of Dispatch that is quiet for a while after each event, and then reports together what happened.
///
/// Own commits wake the watch as well; without a pause each one would wake three threads.
// Invariant: the source is only suspended, resumed and cancelled, which Dispatch allows on any thread, and each suspension is followed by one resumption.
final class PausingSource: @unchecked Sendable {
    private static let pause = DispatchTimeInterval.milliseconds(10)

    private let source: any DispatchSourceProtocol
    private let queue: DispatchQueue

    /// - Parameter source: Not active yet.
    init(_ source: any DispatchSourceProtocol, on queue: DispatchQueue) { (self.source, self.queue) = (source, queue) }

    /// - Parameters:
    ///   - onEvent: Returns whether it was an event that concerns the watch.
    ///   - onCancel: Called when the descriptor may be closed.
    func activate(onEvent: @escaping @Sendable () -> Bool, onCancel: @escaping @Sendable () -> Void) {
        // Until it is cancelled, the source keeps this object.
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
    /// Where a database lies.
    struct Place: Sendable {
        /// Ends with a slash.
        let folder: String
        let name: String

        /// Follows a link as SQLite does, which names the log after the file that the link leads to.
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

        /// The path without links; `nil` as long as there is no file. The file is not opened: to close it would take away SQLite's locks.
        private static func target(of path: String) -> String? {
            guard let target = realpath(path, nil) else { return nil }
            defer { free(target) }
            return String(cString: target)
        }
    }
}
