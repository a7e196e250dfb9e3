extension Line {
    package enum Alignment: Sendable {
        case left, right, center
    }

    /// The line padded with spaces to a width; a wider line is returned unchanged.
    package func padded(to width: Int, _ alignment: Alignment = .left) -> Line {
        let space = width - self.width
        guard space > 0 else { return self }
        let before =
            switch alignment {
            case .left: 0
            case .right: space
            case .center: space / 2
            }
        return Self.space(before) + self + Self.space(space - before)
    }

    /// The line truncated to a width, with `…` in place of the rest.
    package func truncated(to width: Int) -> Line {
        guard self.width > width else { return self }
        guard width > 0 else { return Line() }
        var room = width - 1
        var result = Line()
        for piece in pieces {
            var kept = ""
            for character in piece.text {
                let columns = DisplayWidth.of(character)
                guard columns <= room else { return result + Line(kept, piece.style) + Line("…", .faint) }
                room -= columns
                kept.append(character)
            }
            result += Line(kept, piece.style)
        }
        return result
    }

    /// Padded or truncated to exactly a width.
    package func fitted(to width: Int, _ alignment: Alignment = .left) -> Line { truncated(to: width).padded(to: width, alignment) }

    package static func space(_ width: Int) -> Line { Line(String(repeating: " ", count: max(0, width))) }

    /// Wraps words into lines of at most a width. Only a single longer word can exceed it.
    package static func wrapped(_ text: String, to width: Int, _ style: Style = .plain) -> [Line] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if line.isEmpty {
                line = String(word)
            } else if DisplayWidth.of(line) + 1 + DisplayWidth.of(word) <= width {
                line += " \(word)"
            } else {
                lines.append(line)
                line = String(word)
            }
        }
        return (lines + [line]).map { Line($0, style) }
    }
}
