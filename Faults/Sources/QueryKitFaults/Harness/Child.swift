import Dispatch
import Foundation

/// A second instance of this program, which can be sent lines and killed.
// Invariant: `buffer` is accessed only on `queue`, one line at a time; the handles and the process are used only by the one task that has
// the child.
final class Child: @unchecked Sendable {
    /// How a process has ended.
    enum Ending: Equatable, CustomStringConvertible {
        case exit(Int32)
        case signal(Int32)

        /// Whether the process died of a signal that this program didn't send.
        var isCrash: Bool { if case .signal(let number) = self { number != SIGKILL } else { false } }

        var description: String {
            switch self {
            case .exit(let code): "exit code \(code)"
            case .signal(let number): "signal \(number)"
            }
        }
    }

    private static let living = LivingChildren()

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let queue = DispatchQueue(label: "child")
    private var buffer: [UInt8] = []

    /// - Parameters:
    ///   - mounting: A shell command that mounts something for this child alone. Its folder is `$3`.
    init(_ role: Role, of trial: Trial, _ arguments: [String] = [], mounting: String? = nil) throws {
        let own = [Self.program, Role.argument, role.name, trial.folder.path(percentEncoded: false), "\(trial.plan.seed)"] + arguments
        let command = mounting.map { MountSpace.command($0) + own } ?? own
        process.executableURL = URL(filePath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        Self.living.add(process.processIdentifier)
    }

    static let program = Bundle.main.executablePath ?? CommandLine.arguments[0]

    /// Whether the last line didn't arrive in time.
    private(set) var isSilent = false

    /// The next line of the child; `nil` at its end, or if no line arrives within the limit.
    func line(within limit: Duration = .seconds(30)) async -> String? {
        await withCheckedContinuation { caller in
            queue.async { [self] in caller.resume(returning: nextLine(limit.milliseconds)) }
        }
    }

    private func nextLine(_ milliseconds: Int) -> String? {
        let descriptor = output.fileHandleForReading.fileDescriptor
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeFirst(end + 1) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&wait, 1, Int32(clamping: milliseconds)) > 0 else {
                isSilent = true
                return nil
            }
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let count = read(descriptor, &chunk, chunk.count)
            // An incomplete line doesn't count.
            guard count > 0 else { return nil }
            buffer += chunk[..<count]
        }
    }

    /// All lines of the child until its end.
    func lines() async -> [String] {
        var lines: [String] = []
        while let line = await line() { lines.append(line) }
        return lines
    }

    func say(_ line: String) { try? input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8)) }

    /// Kills the child as a crash would, without any cleanup.
    func kill() { _ = Foundation.kill(process.processIdentifier, SIGKILL) }

    /// Waits until the child has ended.
    @discardableResult
    func end() async -> Ending {
        try? input.fileHandleForWriting.close()
        return await withCheckedContinuation { caller in
            queue.async { [self] in
                process.waitUntilExit()
                Self.living.remove(process.processIdentifier)
                try? output.fileHandleForReading.close()
                caller.resume(
                    returning: process.terminationReason == .uncaughtSignal
                        ? .signal(process.terminationStatus) : .exit(process.terminationStatus)
                )
            }
        }
    }

    /// Kills all children before this process exits.
    static func killAll() { living.kill() }
}

/// The children that haven't ended yet.
// Invariant: `numbers` is accessed only with the lock held.
private final class LivingChildren: @unchecked Sendable {
    private let lock = NSLock()
    private var numbers: Set<Int32> = []

    func add(_ number: Int32) { lock.withLock { _ = numbers.insert(number) } }
    func remove(_ number: Int32) { lock.withLock { _ = numbers.remove(number) } }
    func kill() { lock.withLock { for number in numbers { _ = Foundation.kill(number, SIGKILL) } } }
}
