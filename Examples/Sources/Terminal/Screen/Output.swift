import Foundation

/// Writes to standard output and standard error as they are, without a buffer that would hold a picture back.
enum Output {
    /// Writes all of a text with as few calls as the system allows.
    static func write(_ text: String, to descriptor: Int32 = STDOUT_FILENO) {
        var text = text
        text.withUTF8 { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Foundation.write(descriptor, UnsafeBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count < 0, errno != EINTR, errno != EAGAIN {
                    // A program that ignores SIGPIPE, to end in order, is told that whoever read has hung up.
                    if errno == EPIPE { kill(getpid(), SIGHUP) }
                    return
                }
                rest = rest.dropFirst(max(0, count))
            }
        }
    }
}
