import Terminal

/// The parts of an act as lines of at most a width: its code, its screens, its counts and its log.
struct ActPanels {
    let act: Act
    let picture: StagePicture

    /// The code, with a mark at the line that is being executed. The mark takes two columns.
    var code: [Line] {
        let current = currentIndex
        return act.code.lines.enumerated().map { index, line in
            Line(index == current ? "▸ " : "  ", .warning) + CodeHighlight.line(line.text)
        }
    }

    /// The index of the line that is being executed, or of the last one before it that is shown.
    var currentIndex: Int? {
        guard let current = picture.line else { return nil }
        return act.code.lines.lastIndex { $0.number <= current && !$0.text.isEmpty }
    }

    func screens(width: Int) -> [Line] {
        picture.screens.flatMap { screen -> [Line] in
            let remark = screen.content.remark.isEmpty ? Line() : Line("  \(screen.content.remark)", .warning)
            let head = Line(screen.name, .name) + remark
            return [head.truncated(to: width)] + Line.wrapped(screen.content.text, to: width - 2, .strong).map { "  \($0)" }
        }
    }

    func counts(width: Int) -> Line {
        let counts = picture.counts.map { count -> Line in "\(count.name) \(Number.whole(count.value), .strong)" }
        return Line(counts.enumerated().map { index, count in index == 0 ? count : "   \(count)" }).truncated(to: width)
    }

    /// The log: a time, and what happened or what a screen has shown since then.
    func log(width: Int) -> [Line] {
        let times = picture.entries.map { Self.text(of: $0.time) }
        let column = (times.map(\.count).max() ?? 0) + 2
        return zip(picture.entries, times).flatMap { entry, time in
            Self.wrapped(Self.line(for: entry), to: width - column).enumerated().map { index, line in
                Line(index == 0 ? time : "", .faint).padded(to: column - 2, .right) + .space(2) + line
            }
        }
    }

    func outcome(width: Int) -> [Line] {
        guard let outcome = picture.outcome else { return [] }
        return Line.wrapped(outcome, to: width - 2).enumerated().map { index, line in Line(index == 0 ? "✓ " : "  ", .good) + line }
    }

    private static func line(for entry: StagePicture.Entry) -> Line {
        guard let screen = entry.screen else { return Line("— \(entry.content.text)", .faint) }
        let remark = entry.content.remark.isEmpty ? Line() : Line(" (\(entry.content.remark))", .warning)
        return Line("\(screen): ", .name) + Line(entry.content.text) + remark
    }

    /// Wraps a line between its words, with two columns before each line but the first.
    private static func wrapped(_ line: Line, to width: Int) -> [Line] {
        var lines: [Line] = []
        var current = Line()
        for piece in line.pieces {
            for word in piece.text.splitAfterSpaces {
                let isFull = current.width > 0 && current.width + DisplayWidth.of(word.trimmedEnd) > width
                if isFull {
                    lines.append(current)
                    current = .space(2)
                }
                current += Line(isFull ? String(word.drop { $0 == " " }) : word, piece.style)
            }
        }
        return lines + [current]
    }

    static func text(of time: Duration) -> String {
        let tenths = Int((time / .milliseconds(100)).rounded())
        let (hours, rest) = tenths.quotientAndRemainder(dividingBy: 36_000)
        return (hours > 0 ? "\(hours) h " : "") + "\(rest / 10).\(rest % 10) s"
    }
}

extension String {
    /// The words, each with the spaces after it.
    fileprivate var splitAfterSpaces: [String] {
        var words: [String] = []
        for character in self {
            if let last = words.last, !last.hasSuffix(" ") || character == " " {
                words[words.count - 1].append(character)
            } else {
                words.append(String(character))
            }
        }
        return words
    }

    fileprivate var trimmedEnd: String { String(reversed().drop { $0 == " " }.reversed()) }
}
