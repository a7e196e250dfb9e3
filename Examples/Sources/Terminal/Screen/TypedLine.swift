import Dispatch
import Foundation

/// Reads a typed line in a way that a signal can interrupt. `readLine` would block until Enter is pressed.
enum TypedLine {
    /// The next line, without its line ending; `nil` at the end of the input, and when the task is cancelled.
    static func read(from descriptor: Int32 = STDIN_FILENO) async -> String? {
        let (typed, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
        source.setEventHandler {
            // Reads until nothing is left, including the end of the input: on Linux, Dispatch doesn't report an end that arrives together
            // with the last bytes.
            while isReady(descriptor) {
                var bytes = [UInt8](repeating: 0, count: 1024)
                let count = Foundation.read(descriptor, &bytes, bytes.count)
                if count > 0 {
                    continuation.yield(Array(bytes[..<count]))
                } else if count == 0 || errno != EINTR && errno != EAGAIN {
                    return continuation.finish()
                }
            }
        }
        source.activate()
        defer { source.cancel() }
        var line: [UInt8] = []
        // A cancelled task gets no more elements from the stream.
        for await bytes in typed {
            line += bytes
            if let end = line.firstIndex(of: UInt8(ascii: "\n")) { return String(decoding: line[..<end], as: UTF8.self) }
        }
        return nil
    }

    /// Whether a read would return without blocking.
    private static func isReady(_ descriptor: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) > 0
    }
}
