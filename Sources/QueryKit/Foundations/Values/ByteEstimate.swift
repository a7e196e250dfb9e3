import Foundation

/// A value that estimates how much memory it uses beyond its own layout.
///
/// The byte budget of a client adds up these estimates. QueryKit estimates strings, data, arrays, dictionaries, sets and optionals itself.
/// Conform a type of your own if its values hold much memory behind references.
public protocol ByteEstimating {
    /// The number of bytes behind the value's references. It doesn't have to be exact.
    var heapByteCount: Int { get }
}

enum ByteEstimate {
    /// Larger than any memory, and small enough that sums and products with the length of a collection don't overflow.
    private static let limit = 1 << 40

    static func of<Value>(_ value: Value) -> Int {
        MemoryLayout<Value>.size + heap(value)
    }

    /// The size of each value of a type, if it is the same for all; otherwise `nil`.
    static func fixed<Value>(for type: Value.Type) -> Int? {
        _isPOD(type) && !(type is any ByteEstimating.Type) ? MemoryLayout<Value>.size : nil
    }

    fileprivate static func heap<Value>(_ value: Value) -> Int {
        if let value = value as? any ByteEstimating { return min(max(value.heapByteCount, 0), limit) }
        // A value without references has no memory behind them, and this check costs less than looking up conformances.
        if _isPOD(Value.self) { return 0 }
        return (value as? any StandardByteEstimating)?.standardHeapByteCount ?? 0
    }

    /// Estimates from a sample, so that the cost doesn't depend on the length of the collection.
    static func heap<Values: Collection>(ofElements values: Values) -> Int {
        let type = Values.Element.self
        guard type is any ByteEstimating.Type || type is any StandardByteEstimating.Type else { return 0 }
        let sample = values.prefix(16)
        return sample.isEmpty ? 0 : min(sample.reduce(0) { $0 + heap($1) } / sample.count, limit / values.count) * values.count
    }
}

/// Estimates for types of the standard library and Foundation. It is a separate protocol, so that these types get no public conformance to
/// a protocol of this library.
private protocol StandardByteEstimating {
    var standardHeapByteCount: Int { get }
}

extension String: StandardByteEstimating {
    fileprivate var standardHeapByteCount: Int { utf8.count > 15 ? utf8.count + 32 : 0 }
}

extension Data: StandardByteEstimating {
    fileprivate var standardHeapByteCount: Int { count > 14 ? count + 64 : 0 }
}

extension Optional: StandardByteEstimating {
    fileprivate var standardHeapByteCount: Int { map { ByteEstimate.heap($0) } ?? 0 }
}

extension Array: StandardByteEstimating {
    fileprivate var standardHeapByteCount: Int {
        32 + capacity * MemoryLayout<Element>.stride + ByteEstimate.heap(ofElements: self)
    }
}

extension Set: StandardByteEstimating {
    fileprivate var standardHeapByteCount: Int {
        32 + capacity * MemoryLayout<Element>.stride + ByteEstimate.heap(ofElements: self)
    }
}

extension Dictionary: StandardByteEstimating {
    fileprivate var standardHeapByteCount: Int {
        32 + capacity * (MemoryLayout<Key>.stride + MemoryLayout<Value>.stride)
            + ByteEstimate.heap(ofElements: keys) + ByteEstimate.heap(ofElements: values)
    }
}
