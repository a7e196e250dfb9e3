/// Uses a value in the optimiser's eyes, so that it does not leave out the work whose result nobody wants.
@inline(never)
@_optimize(none)
func discard<Value>(_ value: Value) {}
