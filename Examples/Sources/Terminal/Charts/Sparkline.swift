/// A series of values in one line: one block character per value.
package enum Sparkline {
    package static func text(_ values: [Double?]) -> String {
        let known = values.compactMap { $0 }
        let (low, high) = (known.min() ?? 0, known.max() ?? 0)
        let blocks = Array("▁▂▃▄▅▆▇█")
        return String(
            values.map { value in
                guard let value else { return " " }
                guard high > low else { return blocks[3] }
                return blocks[min(Int((value - low) / (high - low) * 8), 7)]
            }
        )
    }

    /// Reduces the values to a count; each result is the average of its share.
    package static func condensed(_ values: [Double?], to count: Int) -> [Double?] {
        guard values.count > count, count > 0 else { return values }
        return (0..<count).map { index in
            let share = values[index * values.count / count..<(index + 1) * values.count / count].compactMap { $0 }
            return share.isEmpty ? nil : share.reduce(0, +) / Double(share.count)
        }
    }
}
