#if os(Linux)
    import Dispatch

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Watches a descriptor that becomes readable at each event. The content is discarded: the listener reads the state itself.
    enum DescriptorWatch {
        /// Calls `action` each time the descriptor is readable. The watch owns the descriptor. When the watch ends, it closes the
        /// descriptor and then calls `closed`.
        ///
        /// - Parameter descriptor: A non-blocking descriptor; `nil` or a negative number is never readable.
        static func start(
            _ descriptor: Int32?,
            closed: @escaping @Sendable () -> Void = {},
            _ action: @escaping @Sendable () -> Void
        ) -> QuerySubscription {
            guard let descriptor, descriptor >= 0 else { return QuerySubscription {} }
            let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: DispatchWatch.queue)
            // Dispatch requires a descriptor to stay open until the cancel handler is called.
            source.setCancelHandler {
                close(descriptor)
                closed()
            }
            return DispatchWatch.start(source) {
                drain(descriptor)
                action()
            }
        }

        private static func drain(_ descriptor: Int32) {
            withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
                while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
            }
        }
    }
#endif
