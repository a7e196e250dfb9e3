#if Postgres
/// Sixteen writers and 1,000 stores in four processes, while their server, their connections and they themselves fail.
enum PostgresFaults {
    static func run(_ trial: Trial) async throws {
        let rounds = trial.plan.count(long: 40, short: 4)
        let result = try await Fleet.run(trial) { fleet in
            for round in 0..<rounds {
                try await fleet.progress(by: 50)
                switch round % 4 {
                case 0:
                    try fleet.server.crash()
                    try fleet.server.start()
                case 1: try await fleet.terminateProcess()
                case 2: try await fleet.replaceMachine(trial.dice.below(Machine.count))
                default: try await fleet.stallProcess()
                }
            }
            try await fleet.progress(by: 50)
        }
        trial.note("\(rounds) faults, \(result.calls) calls")
        trial.note(result.line)
    }
}

/// The same without a fault: each store ends equal to the database, and none runs without a reason.
enum PostgresLoad {
    static func run(_ trial: Trial) async throws {
        let result = try await Fleet.run(trial) { _ in try await Task.sleep(for: .seconds(trial.plan.isShort ? 5 : 60)) }
        trial.check(result.needless == 0, "\(result.needless) stores ran more often than their counter was increased")
        trial.note("\(result.calls) commits")
        trial.note(result.line)
        trial.note("needless runs \(result.needless)")
    }
}

extension Fault {
    static let postgres = [
        Fault(
            name: "postgres",
            summary: "A PostgreSQL server, its connections or its clients are killed or stopped.",
            run: PostgresFaults.run
        ),
        Fault(
            name: "postgres-load",
            summary: "Sixteen writers and 1,000 stores in four processes share a PostgreSQL database.",
            run: PostgresLoad.run
        ),
    ]
}
#else
extension Fault {
    /// The package trait `Postgres` is off; see `make faults-postgres`.
    static let postgres: [Fault] = []
}
#endif
