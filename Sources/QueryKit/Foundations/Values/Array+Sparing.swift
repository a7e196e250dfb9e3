extension Array {
    /// Appends to a large, long-lived table. The capacity grows by an eighth; `append` doubles it, which may leave half of the table empty.
    mutating func appendSparingly(_ element: Element) {
        if count == capacity { reserveCapacity(count + count / 8 + 8) }
        append(element)
    }
}
