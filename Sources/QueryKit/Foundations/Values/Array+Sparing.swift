extension Array {
    /// Appends to a large table that lasts: grows by an eighth, where `append` doubles and may leave half of the table empty.
    mutating func appendSparingly(_ element: Element) {
        if count == capacity { reserveCapacity(count + count / 8 + 8) }
        append(element)
    }
}
