/// Whether two values are known to be equal. Returns `false` if their type isn't Equatable.
func areKnownToBeEqual<Value>(_ left: Value, _ right: Value) -> Bool {
    func compare<Known: Equatable>(_ left: Known) -> Bool { (right as? Known) == left }
    guard let left = left as? any Equatable else { return false }
    return compare(left)
}
