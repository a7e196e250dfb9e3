/// Bytes that wait to be sent, as the chunks in which they were appended. Several connections can share one chunk.
struct OutgoingBytes: Sendable {
    private var chunks: [[UInt8]] = []
    /// The index of the chunk that is sent next. The chunks before it are empty.
    private var first = 0
    /// How many bytes of that chunk were sent.
    private var offset = 0

    /// The number of bytes that were not sent yet.
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// The bytes to send next; `nil` if there are none.
    var next: ArraySlice<UInt8>? { first < chunks.count ? chunks[first][offset...] : nil }

    mutating func append(_ bytes: [UInt8]) {
        guard !bytes.isEmpty else { return }
        chunks.append(bytes)
        count += bytes.count
    }

    /// Removes bytes that were sent: at most those of ``next``.
    mutating func removeFirst(_ sent: Int) {
        count -= sent
        offset += sent
        guard offset == chunks[first].count else { return }
        chunks[first] = []
        first += 1
        offset = 0
        // The rest is moved forward only when half of the array is empty, so that the cost per chunk is constant.
        if first * 2 >= chunks.count {
            chunks.removeFirst(first)
            first = 0
        }
    }

    mutating func removeAll() { self = OutgoingBytes() }
}
