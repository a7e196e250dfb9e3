/// A canvas of dots made of braille characters; each character has two columns and four rows of dots.
struct DotCanvas {
    let columns: Int
    let rows: Int
    private var cells: [UInt8]

    init(columns: Int, rows: Int) {
        self.columns = max(0, columns)
        self.rows = max(0, rows)
        cells = Array(repeating: 0, count: self.columns * self.rows)
    }

    var width: Int { columns * 2 }
    var height: Int { rows * 4 }

    /// Sets a dot, counted from the upper left. Dots outside of the canvas are ignored.
    mutating func set(_ x: Int, _ y: Int) {
        guard (0..<width).contains(x), (0..<height).contains(y) else { return }
        cells[y / 4 * columns + x / 2] |= Self.bit(column: x % 2, row: y % 4)
    }

    mutating func line(from start: (x: Int, y: Int), to end: (x: Int, y: Int)) {
        let steps = max(abs(end.x - start.x), abs(end.y - start.y))
        guard steps > 0 else { return set(start.x, start.y) }
        for step in 0...steps {
            let share = Double(step) / Double(steps)
            set(
                start.x + Int((Double(end.x - start.x) * share).rounded()),
                start.y + Int((Double(end.y - start.y) * share).rounded())
            )
        }
    }

    /// The character of a cell; `nil` if the cell has no dots.
    func character(column: Int, row: Int) -> Character? {
        let bits = cells[row * columns + column]
        guard bits != 0, let scalar = Unicode.Scalar(0x2800 + UInt32(bits)) else { return nil }
        return Character(scalar)
    }

    /// The braille block numbers the left dots 1, 2, 3, the right ones 4, 5, 6, and those of the lowest row, which was added later, 7 and
    /// 8.
    private static func bit(column: Int, row: Int) -> UInt8 {
        switch (column, row) {
        case (0, 3): 0x40
        case (1, 3): 0x80
        case (0, let row): 1 << UInt8(row)
        case (_, let row): 8 << UInt8(row)
        }
    }
}
