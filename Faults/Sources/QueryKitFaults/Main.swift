@preconcurrency import Dispatch
import Foundation

/// Tries the faults selected by `--only`, one after the other, and reports whether the database has withstood them all.
@main
enum Main {
    static func main() {
        let words = CommandLine.arguments.dropFirst()
        if words.first == Role.argument, let name = words.dropFirst().first {
            return wait { try await Role.serve(name, Array(words.dropFirst(2))) }
        }
        // Writing to a child that has died must not end this process.
        signal(SIGPIPE, SIG_IGN)
        do {
            let command = try Arguments(words, names: Fault.all.map(\.name)).command
            switch command {
            case .help: print(Arguments.help)
            case .list: for fault in Fault.all { print(fault.name.padded(to: 12) + fault.summary) }
            case .run(let plan): wait { try await run(plan) }
            }
        } catch {
            fail("\(error)", code: 64)
        }
    }

    private static func run(_ plan: Plan) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "querykit-faults-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var tally = Tally()
        for fault in Fault.all where plan.names.contains(fault.name) {
            let trial = Trial(fault.name, in: folder.appending(path: fault.name), plan)
            let watchdog = Watchdog(fault.name, limit: (plan.isShort ? 60 : 180) + (plan.rounds ?? 0))
            let start = ContinuousClock.now
            await trial.run(fault.run)
            watchdog.stop()
            print(fault.name.padded(to: 12) + trial.line + " (\(start.duration(to: .now).seconds) s)")
            for failure in trial.failures { print("  FAILED: \(failure)") }
            fflush(nil)
            tally.add(trial.tally)
            tally.failures += trial.failures.count
        }
        print("faults: \(tally)")
        if tally.isClean {
            try? FileManager.default.removeItem(at: folder)
        } else {
            fail("the files are kept in \(folder.path(percentEncoded: false)). To repeat the run use --seed \(plan.seed).", code: 1)
        }
    }

    /// A task does the work, and the main thread waits for it.
    private static func wait(for work: @escaping @Sendable () async throws -> Void) {
        let isDone = DispatchSemaphore(value: 0)
        // Owned by this call, which returns when the task ends.
        Task.detached {
            do {
                try await work()
            } catch {
                fail("\(error)", code: 1)
            }
            isDone.signal()
        }
        isDone.wait()
        fflush(nil)
    }

    private static func fail(_ sentence: String, code: Int32) -> Never {
        fflush(nil)
        FileHandle.standardError.write(Data("querykit-faults: \(sentence)\n".utf8))
        exit(code)
    }
}

/// Ends the program if a fault takes too long, which counts as a failure.
final class Watchdog: Sendable {
    private let timer: any DispatchSourceTimer

    init(_ name: String, limit: Int) {
        timer = DispatchSource.makeTimerSource(queue: .global())
        timer.setEventHandler {
            FileHandle.standardError.write(Data("querykit-faults: \(name) hangs: it has taken more than \(limit) s.\n".utf8))
            Child.killAll()
            _exit(1)
        }
        timer.schedule(deadline: .now() + .seconds(limit))
        timer.activate()
    }

    func stop() { timer.cancel() }
}

extension String {
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(1, width - count)) }
}

extension Duration {
    /// With one decimal.
    var seconds: String {
        let tenths = Int((self / .milliseconds(100)).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    var milliseconds: Int { Int((self / .milliseconds(1)).rounded()) }
}
