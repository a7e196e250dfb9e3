/// Uses a value in a way that the optimiser can't remove, so that the work for an unused result is not removed either.
@inline(never)
@_optimize(none)
func discard<Value>(_ value: Value) {}
