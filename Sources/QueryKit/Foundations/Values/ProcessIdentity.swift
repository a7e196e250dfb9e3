import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Identifies a process to other processes of the machine, so that they can find out whether it still runs.
struct ProcessIdentity: Equatable {
    /// This process.
    static let current = ProcessIdentity(number: ProcessInfo.processInfo.processIdentifier, space: numberSpace)

    let number: Int32
    /// Where the number means something: process numbers are those of one container, until the machine restarts.
    let space: String

    init(number: Int32, space: String) { (self.number, self.space) = (number, space) }

    /// Reads what ``text`` returned; `nil` for any other text.
    init?(_ text: String) {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let number = Int32(parts[0]), number > 0 else { return nil }
        self.init(number: number, space: String(parts[1]))
    }

    var text: String { "\(number)@\(space)" }

    /// Whether the process is known to have ended. `false` where this can't be found out, and where another process has the number by now.
    var hasEnded: Bool {
        guard self != .current, space == Self.current.space else { return false }
        // Without the right to send it a signal, the process still exists.
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
