import Foundation

extension QueryStore {
    /// Publishes a value at once, as fresh as a fetched one. The result of a run under way is dropped, and another run follows.
    public func setValue(_ value: Value) {
        let context = self.context
        core.write(.success(core.typing.boxes.box(value)), at: QueryTimestamp(now: context.clock))
    }

    /// Publishes a result at once. A failure doesn't change the value.
    public func setResult(to result: Result<Value, any Error>) {
        let context = self.context
        core.write(result.map { core.typing.boxes.box($0) }, at: QueryTimestamp(now: context.clock))
    }

    /// Changes the current value. Returns `false` if there is none; a placeholder doesn't count.
    ///
    /// `change` is called without a lock. If another write happens during the call, `change` is called again with the new value, so it
    /// should have no side effects.
    @discardableResult
    public func updateValue(_ change: (inout Value) throws -> Void) rethrows -> Bool {
        // Read and write are two steps, because the closure must run without the lock. If another write happens in between, both are
        // repeated.
        while true {
            let (record, base, number) = core.contents.withBasis { basis, _ in (basis.state.record, basis.value, basis.valueNumber) }
            guard record.flags.contains(.hasValue), let base else { return false }
            var value = base.unboxed(as: Value.self)
            try change(&value)
            let context = self.context
            if core.write(.success(core.typing.boxes.box(value)), at: QueryTimestamp(now: context.clock), over: number) { return true }
        }
    }

    /// Sets a value from a cache or an earlier launch, with its wall-clock date, unless there is a result already.
    ///
    /// A run under way continues, and its newer result replaces the value.
    func seed(_ value: Value, updatedAt date: Date) {
        let time = QueryTimestamp(date: date, clock: context.clock)
        var input = StoreInput(value: core.typing.boxes.box(value), byteCount: ByteEstimate.of(value))
        input.isRestored = true
        core.change(input) { contents, input in
            if !contents.state.record.hasResult { contents.process(input) { $0.seed(at: time, &$1) } }
        }
    }
}
