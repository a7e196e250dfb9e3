/// One page of ``QueryPages``.
public struct QueryPage<ID: Hashable & Sendable, Value: Sendable>: Identifiable, Sendable {
    /// The id by which the page was fetched.
    public let id: ID

    /// The contents of the page.
    public var value: Value

    /// The regions that the page was read from; `nil` if they are unknown, as for a page that was written or decoded.
    var reads: RegionSet?

    /// Creates a page, for example for a placeholder or a test.
    public init(id: ID, value: Value) {
        self.id = id
        self.value = value
    }

    init(id: ID, value: Value, reads: RegionSet?) {
        self.id = id
        self.value = value
        self.reads = reads
    }
}

/// Two pages are equal if their ids and values are equal, no matter what they were read from.
extension QueryPage: Equatable where Value: Equatable {
    public static func == (left: QueryPage, right: QueryPage) -> Bool { left.id == right.id && left.value == right.value }
}

extension QueryPage: ByteEstimating {
    public var heapByteCount: Int {
        ByteEstimate.of(id) - MemoryLayout<ID>.size + ByteEstimate.of(value) - MemoryLayout<Value>.size
    }
}

extension QueryPage: Codable where ID: Codable, Value: Codable {
    private enum CodingKeys: CodingKey {
        case id, value
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(id: try container.decode(ID.self, forKey: .id), value: try container.decode(Value.self, forKey: .value))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(value, forKey: .value)
    }
}
