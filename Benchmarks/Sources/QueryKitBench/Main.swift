import Dispatch
import Foundation

/// Measures the cases selected by `--filter`, one after the other.
///
/// The work runs off the main thread, which waits for it. So no measured step hops to the main actor, and profilers that can't follow an
/// asynchronous `main` can follow this one.
@main
enum Main {
    static func main() {
        if CommandLine.arguments.count == 3, CommandLine.arguments[1] == OtherProcess.argument {
            return wait(for: { try await OtherProcess.serve(CommandLine.arguments[2]) })
        }
        do {
            let command = try Arguments(CommandLine.arguments.dropFirst(), names: Case.all.map(\.name)).command
            switch command {
            case .help: print(Arguments.help)
            case .list: print(Case.all.map { $0.name.padded(to: Table.nameWidth) + "  " + $0.summary }.joined(separator: "\n"))
            case .run(let plan): wait(for: { try await run(plan) })
            case .rehearse(let name, let count, let isFloor): wait(for: { try await rehearse(name, count, isFloor: isFloor) })
            }
        } catch {
            fail(error, code: 64)
        }
        flush()
    }

    private static func wait(for work: @escaping @Sendable () async throws -> Void) {
        let isDone = DispatchSemaphore(value: 0)
        // Owned by this call, which returns when the task ends.
        Task.detached {
            do {
                try await work()
            } catch {
                fail(error, code: 1)
            }
            isDone.signal()
        }
        isDone.wait()
    }

    private static func run(_ plan: Plan) async throws {
        let sampler = Sampler(sampleCount: plan.sampleCount, operationCount: plan.operationCount)
        var results: [Measurement] = []
        let machine = try await machineMode()
        if !plan.asJSON { print(Table.header) }
        for item in Case.all where plan.names.contains(item.name) {
            let result = try await sampler.measure(item)
            if plan.asJSON {
                results.append(result)
            } else {
                print(Table.row(result))
                flush()
            }
        }
        if plan.asJSON {
            print(try JSONReport.text(results))
        } else {
            print("an empty task, before and after the cases: \(machine) and \(try await machineMode())")
            print("peak memory of the process: \(PeakMemory.byteCount / 1_000_000) MB")
        }
    }

    /// The duration of an empty task. It makes the times of two reports comparable, because the speed of a virtual machine varies by the
    /// hour.
    private static func machineMode() async throws -> String {
        let clock = ContinuousClock()
        var fastest = Double.infinity
        for _ in 0..<20 {
            let start = clock.now
            for _ in 0..<200 { discard(await Task {}.value) }
            fastest = min(fastest, (clock.now - start).nanoseconds / 200)
        }
        return "\(Int(fastest)) ns"
    }

    /// Performs the operations of a case, or of its floor, without timing them.
    private static func rehearse(_ name: String, _ count: Int, isFloor: Bool) async throws {
        guard let item = Case.all.first(where: { $0.name == name }), case .time(let make) = item.kind else {
            throw Arguments.UsageError("\(name) does not consist of single operations, so it can't be rehearsed.")
        }
        let (work, floor) = try await make()
        guard let workload = isFloor ? floor : work else { throw Arguments.UsageError("\(name) has no floor.") }
        guard let batch = workload.batch else { return try await workload.run(count) }
        // A case with a preparation runs in whole batches.
        for _ in 0..<max(1, count / batch) {
            try await workload.prepare()
            try await workload.run(batch)
        }
    }

    private static func fail(_ error: any Error, code: Int32) -> Never {
        flush()
        FileHandle.standardError.write(Data("querykit-bench: \(error)\n".utf8))
        exit(code)
    }

    private static func flush() { fflush(nil) }
}
