#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Why an inspector could not start. Its description says what to do.
public struct QueryInspectorError: Error, Hashable, CustomStringConvertible {
    /// The kind of a failure. Later versions may add more.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// Another program, or another inspector, listens on the port.
        public static let portTaken = Code(description: "portTaken")
        /// The system refused to open a socket.
        public static let noSocket = Code(description: "noSocket")
        /// The files of the page are not in the app.
        public static let pageMissing = Code(description: "pageMissing")
    }

    /// What has happened.
    public let code: Code

    /// What happened, and what to do next.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    init(_ error: ServerError) {
        switch error {
        case .portTaken(let port):
            self.init(
                .portTaken,
                "The inspector can't use port \(port): another program or another inspector listens at it. Use port 0 for a free one."
            )
        case .system(let call, let number):
            self.init(
                .noSocket,
                """
                The inspector can't listen at 127.0.0.1: \(call) has failed with \(String(cString: strerror(number))) (\(number)). On \
                macOS, a sandboxed app needs the entitlement com.apple.security.network.server.
                """
            )
        }
    }
}
