import Foundation

/// A value that can say about how much memory it holds beyond its own layout.
///
/// The byte budget of a client adds these up. Strings, data, arrays, dictionaries, sets and optionals are estimated anyway;
/// a type of your own that holds much behind references may conform.
public protocol ByteEstimating {
    /// The bytes behind the value's references; need not be exact.
    var heapByteCount: Int { get }
}

enum ByteEstimate {
    /// More than any memory, and little enough to be added up and multiplied by the length of a collection.
    private static let limit = 1 << 40

    static func of<Value>(_ value: Value) -> Int {
        MemoryLayout<Value>.size + heap(value)
    }

    /// The size of all values of a type, where that is known without looking at one.
    static func fixed<Value>(for type: Value.Type) -> Int? {
        _isPOD(type) && !(type is any ByteEstimating.Type) ? MemoryLayout<Value>.size : nil
    }

    fileprivate static func heap<Value>(_ value: Value) -> Int {
        if let value = value as? any ByteEstimating { return min(max(value.heapByteCount, 0), limit) }
        // A value without references holds nothing behind them; the look at what it conforms to costs more than this.
        if _isPOD(Value.self) { return 0 }
        return (value as? any StandardByteEstimating)?.standardHeapByteCount ?? 0
    }

    /// A sample stands for the rest, so that a long list does not cost a long count.
    static func heap<Values: Collection>(ofElements values: Values) -> Int {
        let type = Values.Element.self
        guard type is any ByteEstimating.Type || type is any StandardByteEstimating.Type else { return 0 }
        let sample = values.prefix(16)
        return sample.isEmpty ? 0 : min(sample.reduce(0) { $0 + heap($1) } / sample.count, limit / values.count) * values.count
    }
}

/// The same for types of the standard library, which stay free of names of ours.
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
