import Dispatch
import Foundation

/// This program once more, as a process that can be spoken to and killed.
// Invariant: `buffer` is touched only on `queue`, one line at a time; the handles and the process are used by the one task that has the child.
final class Child: @unchecked Sendable {
    /// How a process has ended.
    enum Ending: Equatable, CustomStringConvertible {
        case exit(Int32)
        case signal(Int32)

        /// Whether it died of something that nobody has sent.
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
    ///   - mounting: A command of the shell that changes what is mounted, for this child alone; its folder is `$3`.
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

    /// Whether the last line did not come in time.
    private(set) var isSilent = false

    /// What the child says next; `nil` at its end, or when it says nothing for so long.
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
            // A line that was cut off was not said.
            guard count > 0 else { return nil }
            buffer += chunk[..<count]
        }
    }

    /// All that the child says until its end.
    func lines() async -> [String] {
        var lines: [String] = []
        while let line = await line() { lines.append(line) }
        return lines
    }

    func say(_ line: String) { try? input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8)) }

    /// Ends it as a crash would: nothing of it runs any more.
    func kill() { _ = Foundation.kill(process.processIdentifier, SIGKILL) }

    /// Waits until it has ended.
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

    /// Ends all that this process has started, before it ends itself.
    static func killAll() { living.kill() }
}

/// The children that have not ended yet.
// Invariant: `numbers` is touched only with the lock held.
private final class LivingChildren: @unchecked Sendable {
    private let lock = NSLock()
    private var numbers: Set<Int32> = []

    func add(_ number: Int32) { lock.withLock { _ = numbers.insert(number) } }
    func remove(_ number: Int32) { lock.withLock { _ = numbers.remove(number) } }
    func kill() { lock.withLock { for number in numbers { _ = Foundation.kill(number, SIGKILL) } } }
}
