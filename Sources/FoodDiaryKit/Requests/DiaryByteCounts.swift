public import QueryKit

/// What a client's byte budget counts for values of the diary, beyond their own layout.
extension FoodEntry: ByteEstimating {
    public var heapByteCount: Int { name.heapBytes + moment.timeZone.heapBytes + amounts.heapByteCount }
}

extension Ingredient: ByteEstimating {
    public var heapByteCount: Int {
        let names = name.heapBytes + aliases.reduce(0) { $0 + $1.heapBytes } + portions.reduce(0) { $0 + $1.name.heapBytes }
        return names + aliases.capacity * MemoryLayout<String>.stride + portions.capacity * MemoryLayout<Portion>.stride
    }
}

extension String {
    /// Short texts lie in the value itself.
    fileprivate var heapBytes: Int { utf8.count > 15 ? utf8.count + 32 : 0 }
}
