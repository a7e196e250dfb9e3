import Dispatch
import Foundation

/// A line that somebody types, waited for in a way that a signal can end: who sits in `readLine` hears of nothing until Enter is pressed.
enum TypedLine {
    /// The next line, without its end; `nil` where there is none any more, and when the task is cancelled.
    static func read(from descriptor: Int32 = STDIN_FILENO) async -> String? {
        let (typed, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
        source.setEventHandler {
            // As long as there is something, the end included: Dispatch does not tell on Linux of an end that came together with the last bytes.
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
        // A task that is cancelled gets nothing more from the stream.
        for await bytes in typed {
            line += bytes
            if let end = line.firstIndex(of: UInt8(ascii: "\n")) { return String(decoding: line[..<end], as: UTF8.self) }
        }
        return nil
    }

    /// Whether reading would not wait.
    private static func isReady(_ descriptor: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) > 0
    }
}
