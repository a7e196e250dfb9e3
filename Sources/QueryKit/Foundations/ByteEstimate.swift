public import Foundation

/// A value that can say about how much memory it holds beyond its own layout.
///
/// The byte budget of a client adds these up. Strings, data, arrays, dictionaries, sets and optionals answer by themselves;
/// a type of your own that holds much behind references may conform.
public protocol ByteEstimating {
    /// The bytes behind the value's references; need not be exact.
    var heapByteCount: Int { get }
}

enum ByteEstimate {
    static func of<Value>(_ value: Value) -> Int {
        MemoryLayout<Value>.size + heap(value)
    }

    fileprivate static func heap<Value>(_ value: Value) -> Int {
        (value as? any ByteEstimating)?.heapByteCount ?? 0
    }

    /// A sample stands for the rest, so that a long list does not cost a long count.
    fileprivate static func heap<Values: Collection>(ofElements values: Values) -> Int {
        let sample = values.prefix(16)
        guard !sample.isEmpty, Values.Element.self is any ByteEstimating.Type else { return 0 }
        return sample.reduce(0) { $0 + heap($1) } * values.count / sample.count
    }
}

extension String: ByteEstimating {
    public var heapByteCount: Int { utf8.count > 15 ? utf8.count + 32 : 0 }
}

extension Data: ByteEstimating {
    public var heapByteCount: Int { count > 14 ? count + 64 : 0 }
}

extension Optional: ByteEstimating {
    public var heapByteCount: Int { map { ByteEstimate.heap($0) } ?? 0 }
}

extension Array: ByteEstimating {
    public var heapByteCount: Int {
        32 + capacity * MemoryLayout<Element>.stride + ByteEstimate.heap(ofElements: self)
    }
}

extension Set: ByteEstimating {
    public var heapByteCount: Int {
        32 + capacity * MemoryLayout<Element>.stride + ByteEstimate.heap(ofElements: self)
    }
}

extension Dictionary: ByteEstimating {
    public var heapByteCount: Int {
        32 + capacity * (MemoryLayout<Key>.stride + MemoryLayout<Value>.stride)
            + ByteEstimate.heap(ofElements: keys) + ByteEstimate.heap(ofElements: values)
    }
}
