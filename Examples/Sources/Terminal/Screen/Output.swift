import Foundation

/// Writes to standard output and standard error as they are, without a buffer that would hold a picture back.
enum Output {
    /// Writes all of a text with as few calls as the system allows.
    static func write(_ text: String, to descriptor: Int32 = STDOUT_FILENO) throws {
        var text = text
        try text.withUTF8 { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Foundation.write(descriptor, UnsafeBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0 {
                    switch errno {
                    case EINTR: break
                    // Whoever shares the descriptor has made it one that does not wait.
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

/// Why standard output could not be written.
package struct OutputError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What the system says, a value of `errno`.
    package let number: Int32

    package init(number: Int32) { self.number = number }

    /// Whoever read has hung up, as `head` does: nobody is there to be told.
    package var isHangUp: Bool { number == EPIPE }

    package var description: String { "The answer can not be written to standard output: \(String(cString: strerror(number)))." }
}

/// The three descriptors that each process has, unless somebody closed them for it.
package enum StandardStreams {
    /// Opens those that are closed on nothing, so that no file of the program takes their place and is written over. To be called before any file is opened.
    package static func fill() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // Output that nobody can get must not seem to be written.
            _ = open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
