import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Identifies a process to other processes on the same machine, so that they can find out whether it is still running.
struct ProcessIdentity: Equatable {
    /// This process.
    static let current = ProcessIdentity(number: ProcessInfo.processInfo.processIdentifier, space: numberSpace)

    let number: Int32
    /// The scope of the number: process numbers are unique within one container, until the machine restarts.
    let space: String

    init(number: Int32, space: String) { (self.number, self.space) = (number, space) }

    /// Parses a text that ``text`` has returned; `nil` for any other text.
    init?(_ text: String) {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int32(parts[0]), number > 0 else { return nil }
        self.init(number: number, space: String(parts[1]))
    }

    var text: String { "\(number)@\(space)" }

    /// Whether the process is known to have ended. `false` if this can't be determined, or if another process has the number by now.
    var hasEnded: Bool {
        guard self != .current, space == Self.current.space else { return false }
        // An error other than ESRCH, such as a missing permission to send it a signal, means that the process exists.
        return kill(number, 0) == -1 && errno == ESRCH
    }

    private static var numberSpace: String {
        #if os(Linux)
            let container = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid")) ?? ""
            let start = (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)) ?? ""
            return container + start.filter { !$0.isWhitespace }
        #else
            return ""
        #endif
    }
}
