import Testing

@testable import Terminal

@Suite(.timeLimit(.minutes(5))) struct DisplayWidthTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("味噌汁", 6), ("ｱﾊﾟｰﾄ", 5), ("Ａ", 2), ("한국", 4), ("\u{1100}\u{1161}\u{11A8}", 2),
        ("🍮", 2), ("👩‍👩‍👧", 2),
        ("👍🏽", 2), ("🇨🇭", 2), ("❤️", 2), ("❤", 1), ("—", 1), ("█▓▒", 3), ("⠿", 1), ("\u{200B}", 0), ("नि", 2), ("\r\n", 0),
    ])
    func `the width of a text is the number of columns it takes in a terminal`(text: String, columns: Int) {
        #expect(DisplayWidth.of(text) == columns)
    }
}

@Suite(.timeLimit(.minutes(5))) struct LineTests {
    @Test func `a line that is too long is cut, without splitting a wide letter`() {
        #expect(Line("味噌汁").truncated(to: 6).text == "味噌汁")
        #expect(Line("味噌汁").truncated(to: 5).text == "味噌…")
        #expect(Line("味噌汁").truncated(to: 4).text == "味…")
        #expect(Line("味噌汁").truncated(to: 1).text == "…")
        #expect(Line("味噌汁").truncated(to: 0).text == "")
        let line: Line = "\("ab", .name)\("cd", .bad)"
        #expect(line.truncated(to: 3).pieces.map(\.text) == ["ab", "…"])
    }

    @Test func `padding extends a line to a width, and never cuts it`() {
        #expect(Line("ab").padded(to: 5).text == "ab   ")
        #expect(Line("ab").padded(to: 5, .right).text == "   ab")
        #expect(Line("ab").padded(to: 5, .center).text == " ab  ")
        #expect(Line("味噌").padded(to: 5).text == "味噌 ")
        #expect(Line("abcdef").padded(to: 3).text == "abcdef")
    }

    @Test func `control characters are replaced by spaces`() {
        #expect(Line("a\u{1B}[2Jb\u{7}\u{9B}c\r\n\u{202E}d").text == "a [2Jb  c   d")
        #expect(Line("tab\there").encoded(in: .extended) == "tab here")
    }

    @Test func `styles are encoded only in a palette with colors`() {
        let line: Line = "a \("b", .good)"
        #expect(line.encoded(in: .none) == "a b")
        #expect(line.encoded(in: .basic) == "a \u{1B}[32mb\u{1B}[0m")
    }

    @Test func `lines are wrapped between words`() {
        #expect(Line.wrapped("one two three", to: 7).map(\.text) == ["one two", "three"])
        #expect(Line.wrapped("extraordinary", to: 4).map(\.text) == ["extraordinary"])
        #expect(Line.wrapped("", to: 4).map(\.text) == [""])
    }

    @Test(arguments: [
        (true, ["TERM": "xterm-256color"], Palette.extended), (true, ["TERM": "xterm"], .basic),
        (true, ["TERM": "xterm", "COLORTERM": "truecolor"], .extended),
        (false, ["TERM": "xterm-256color"], .none), (true, ["TERM": "dumb"], .none), (true, ["TERM": "xterm", "NO_COLOR": "1"], .none),
        (true, ["TERM": "xterm", "NO_COLOR": ""], .basic),
    ])
    func `colors are used on a terminal that supports them, unless NO_COLOR is set`(
        isTerminal: Bool,
        environment: [String: String],
        palette: Palette
    ) {
        #expect(Palette.of(isTerminal: isTerminal, environment: environment) == palette)
    }
}

@Suite(.timeLimit(.minutes(5))) struct TableTests {
    private let table = Table(
        [.init("#", .right), .init("Food", minimum: 6), .init("Amount", .right, dispensability: 1), .init("Kind", dispensability: 2)],
        rows: [["1", "Rye bread", "60 g", "grain"], ["12", "味噌汁 with tofu", "250 g", "dish"]]
    )

    @Test func `columns are as wide as their widest cell`() {
        #expect(
            table.lines(width: 80).map(\.text) == [
                " #  Food              Amount  Kind",
                " 1  Rye bread           60 g  grain",
                "12  味噌汁 with tofu   250 g  dish",
            ]
        )
    }

    @Test func `if space is short, columns shrink first, and then dispensable columns are removed`() {
        #expect(
            table.lines(width: 28).map(\.text) == [
                " #  Food       Amount  Kind", " 1  Rye bread    60 g  grain", "12  味噌汁 w…   250 g  dish",
            ]
        )
        for width in [8, 12, 20, 28, 34, 60] {
            let lines = table.lines(width: width)
            #expect(lines.allSatisfy { $0.width <= width }, "\(width)")
        }
        #expect(table.lines(width: 20).first?.text == " #  Food      Amount")
        #expect(table.lines(width: 12).first?.text == " #  Food")
    }
}

@Suite(.timeLimit(.minutes(5))) struct NumberTests {
    @Test func `numbers are written with thousands separators and without superfluous digits`() {
        #expect([0, 7, 999, 1000, 1_234_567, -12_345].map { Number.whole($0) } == ["0", "7", "999", "1,000", "1,234,567", "-12,345"])
        #expect([0, 2, 2.5, 2.04, 1234.56, -0.01, .infinity].map { Number.short($0) } == ["0", "2", "2.5", "2", "1,234.6", "0", "–"])
        #expect([0, 999, 1500, 2_340_000].map { Number.bytes($0) } == ["0 bytes", "999 bytes", "1.5 kB", "2.3 MB"])
        #expect(Number.percent(0.934) == "93 %" && Number.count(1, "entry", "entries") == "1 entry")
    }

    @Test func `a duration is written in the unit that makes it short`() {
        let durations: [Duration] = [
            .microseconds(80), .microseconds(2_340), .milliseconds(312), .milliseconds(2_340), .seconds(42), .seconds(300),
        ]
        #expect(durations.map(Number.duration) == ["0.08 ms", "2.3 ms", "312 ms", "2.3 s", "42 s", "5 min"])
    }
}
