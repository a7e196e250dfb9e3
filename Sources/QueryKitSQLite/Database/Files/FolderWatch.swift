#if os(Linux)
    import Dispatch

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Watches the folder of a database with inotify(7), and reports events of its files.
    ///
    /// It watches the folder rather than the files, because those are created and deleted. If the folder is deleted, there are no further
    /// events.
    enum FolderWatch {
        /// Starts watching, and returns a closure that ends it; `nil` if the folder can't be watched.
        static func start(
            _ location: FileWatch.Location,
            onClose: @escaping @Sendable () -> Void,
            onChange: @escaping @Sendable () -> Void
        ) -> (@Sendable () -> Void)? {
            guard let descriptor = open(location.folder) else { return nil }
            let names: Set = [location.name, location.logName, location.name + "-journal"]
            let queue = DispatchQueue(label: "QueryKitSQLite.FileWatch")
            let source = ThrottledSource(DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue), on: queue)
            source.activate {
                guard readChange(from: descriptor, of: names) else { return false }
                onChange()
                return true
            } onCancel: {
                // Dispatch requires a descriptor to stay open until the source is cancelled.
                close(descriptor)
                onClose()
            }
            return { source.cancel() }
        }

        private static func open(_ folder: String) -> Int32? {
            let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
            guard descriptor >= 0 else { return nil }
            // Includes deletions: a transaction with a rollback journal is committed by deleting the journal.
            let events = IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_ONLYDIR
            if inotify_add_watch(descriptor, folder, UInt32(events)) >= 0 { return descriptor }
            close(descriptor)
            return nil
        }

        /// Reads the pending events once: with continuous writes, a loop would never end. Remaining events make the source fire again.
        private static func readChange(from descriptor: Int32, of names: Set<String>) -> Bool {
            withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 8) { buffer in
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { return false }
                return contains(UnsafeRawBufferPointer(rebasing: buffer[..<count]), names)
            }
        }

        private static func contains(_ events: UnsafeRawBufferPointer, _ names: Set<String>) -> Bool {
            var rest = events[...]
            while rest.count >= MemoryLayout<inotify_event>.size {
                let event = UnsafeRawBufferPointer(rebasing: rest).loadUnaligned(as: inotify_event.self)
                // The queue has overflowed, so events may be missing.
                if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return true }
                rest = rest.dropFirst(MemoryLayout<inotify_event>.size)
                // The name is padded with zeros.
                let name = rest.prefix(Int(event.len)).prefix { $0 != 0 }
                if names.contains(String(decoding: name, as: UTF8.self)) { return true }
                rest = rest.dropFirst(Int(event.len))
            }
            return false
        }
    }
#endif
