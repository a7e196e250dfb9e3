/// States that an inspector simulates. They are flags of the record, so that they only affect what observers see and whether the value is
/// stale: the value itself is kept, and caches don't notice.
extension StoreCore {
    /// Makes the store look different, until a run, a write or a reset. Returns `false` for the store of a mutation.
    func simulate(_ simulation: Simulation) -> Bool { setSimulation(simulation.flag) }

    /// Shows the real state again. Returns `false` if nothing is simulated.
    func endSimulation() -> Bool { setSimulation([]) }

    private func setSimulation(_ flag: QueryRecord.Flags) -> Bool {
        guard typing.runsByItself else { return false }
        return change { contents, input in
            if contents.state.record.flags.intersection(.simulated) == flag { return !flag.isEmpty }
            contents.process(input) { _, record in
                record.flags.subtract(.simulated)
                record.flags.formUnion(flag)
                return RunMachine.Effects()
            }
            return true
        }
    }
}

extension Simulation {
    fileprivate var flag: QueryRecord.Flags {
        switch self {
        case .loading: .simulatedLoading
        case .failure: .simulatedFailure
        case .stale: .simulatedStaleness
        }
    }
}
