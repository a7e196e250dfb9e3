public import QueryKit

/// The memory that values of the diary use beyond their own layout, for the byte budget of a client.
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
    /// Short strings are stored inside the value.
    fileprivate var heapBytes: Int { utf8.count > 15 ? utf8.count + 32 : 0 }
}
