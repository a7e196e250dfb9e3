import Foundation

/// Writes to standard output and standard error without a buffer, which would delay a frame.
enum Output {
    /// Writes all of a text with as few calls as possible.
    static func write(_ text: String, to descriptor: Int32 = STDOUT_FILENO) throws {
        var text = text
        try text.withUTF8 { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Foundation.write(descriptor, UnsafeBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0 {
                    switch errno {
                    case EINTR: break
                    // Another process that shares the descriptor has made it non-blocking.
                    case EAGAIN: waitUntilWritable(descriptor)
                    case let number: throw OutputError(number: number)
                    }
                }
                rest = rest.dropFirst(max(0, count))
            }
        }
    }

    private static func waitUntilWritable(_ descriptor: Int32) {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&request, 1, -1)
    }
}

/// The reason why standard output can't be written.
package struct OutputError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The `errno` of the system.
    package let number: Int32

    package init(number: Int32) { self.number = number }

    /// Whether the reader has closed the pipe, as `head` does. An error message would not be read either.
    package var isHangUp: Bool { number == EPIPE }

    package var description: String { "The output can't be written to standard output: \(String(cString: strerror(number)))." }
}

/// The three standard descriptors, which the parent process may have closed.
package enum StandardStreams {
    /// Opens closed descriptors, so that no file of the program gets their number and is overwritten. Call this before any file is opened.
    package static func fill() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // A write to a closed output must fail rather than be discarded.
            _ = open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
