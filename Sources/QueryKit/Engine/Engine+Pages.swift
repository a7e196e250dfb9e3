/// Runs for some pages of a list (R25).
extension Engine {
    /// The pages with which a run begins, without layers, and the regions that have changed since they were read. Without regions, all of
    /// the pages are read again.
    func pages(of run: Run) -> (base: AnyValue?, changes: [QueryRegion]?) {
        let changes = enter { $0.changedPages(run) }
        return (base(run.entry).value, changes)
    }

    /// Fetches what a closure chooses for the present pages, which it gets without layers. It is called without the lock, and again if the
    /// pages change before the fetch begins.
    ///
    /// - Parameter choose: Returns `nil` for the present value.
    func fetch(_ handle: Handle, choosing choose: (_ base: AnyValue?, _ isRunning: Bool) -> RunAim?) async throws -> AnyValue {
        while true {
            let (entry, settings) = present(handle)
            let (base, isRunning) = (base(entry), enter { $0[entry].run != nil })
            guard let aim = choose(base.value, isRunning) else {
                if let value = base.value { return value }
                throw QueryError(.noValue, path: entry.path)
            }
            do {
                return try await fetch(
                    entry,
                    settings,
                    aim,
                    if: { $0[entry].inputs == base.inputs && ($0[entry].run != nil) == isRunning }
                )
            } catch is Absent { continue }
        }
    }

    /// The value of an entry without layers, and the number of its inputs.
    func base(_ entry: Entry) -> (value: AnyValue?, inputs: UInt32) {
        let (question, inputs) = enter { ($0.valueQuestion(entry), $0[entry].inputs) }
        question.layers = []
        answer(question)
        return (question.base, inputs)
    }
}
