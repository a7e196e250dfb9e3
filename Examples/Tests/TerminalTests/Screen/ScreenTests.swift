import Testing

@testable import Terminal

@Suite(.timeLimit(.minutes(5))) struct FrameDiffTests {
    private let size = TerminalSize(columns: 10, rows: 3)

    @Test func `the first frame is drawn completely, and later frames only where lines differ`() {
        var diff = FrameDiff()
        #expect(
            diff.update(to: ["a", "b"], size: size, palette: .none)
                == "\u{1B}[?2026h\u{1B}[2J\u{1B}[1;1Ha\u{1B}[K\u{1B}[2;1Hb\u{1B}[K\u{1B}[?2026l"
        )
        #expect(diff.update(to: ["a", "c"], size: size, palette: .none) == "\u{1B}[?2026h\u{1B}[2;1Hc\u{1B}[K\u{1B}[?2026l")
        #expect(diff.update(to: ["a", "c"], size: size, palette: .none) == "")
    }

    @Test func `removed lines are cleared, and text that does not fit is cut`() {
        var diff = FrameDiff()
        _ = diff.update(to: ["a", "b"], size: size, palette: .none)
        #expect(diff.update(to: ["a"], size: size, palette: .none).contains("\u{1B}[2;1H\u{1B}[K"))
        let text = diff.update(to: ["a", "b", "c", "d", "e"], size: size, palette: .none)
        #expect(text.contains("c") && !text.contains("d"))
        #expect(diff.update(to: ["0123456789abc"], size: size, palette: .none).contains("012345678…\u{1B}[2;1H"))
        #expect(diff.update(to: ["9876543210"], size: size, palette: .none).contains("9876543210\u{1B}[?2026l"))
    }

    @Test func `after a change of size everything is redrawn`() {
        var diff = FrameDiff()
        _ = diff.update(to: ["a"], size: size, palette: .none)
        diff.forget()
        #expect(diff.update(to: ["a"], size: size, palette: .none).contains("\u{1B}[2J"))
    }
}

@Suite(.timeLimit(.minutes(5))) struct KeyTests {
    @Test(arguments: [
        ("q", [Key.character("q")]), ("é味", [.character("é"), .character("味")]), ("\u{1B}[A\u{1B}[B", [.up, .down]), ("\u{1B}OC", [.right]),
        ("\u{1B}", [.escape]),
        ("\u{3}", [.control("c")]), ("\r\n", [.enter, .enter]), ("\u{1B}[15~x", [.character("x")]), ("\u{1B}[1;5D", [.left]),
        ("\u{1B}[", []), ("\u{7F}", []),
    ])
    func `bytes from a terminal are read as keys`(bytes: String, keys: [Key]) {
        #expect(Key.read(Array(bytes.utf8)) == keys)
    }

    @Test func `any sequence of bytes is read without a crash`() {
        for first in UInt8.min...UInt8.max {
            for second in stride(from: UInt8(0), through: 250, by: 10) { _ = Key.read([first, second, 0xC3]) }
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct ProgressBarTests {
    @Test func `a progress bar shows the completed share and the remaining time, and fits the width`() {
        #expect(ProgressBar.line("Seeding", share: 0, note: "", elapsed: .zero, width: 40).text == "Seeding ························   0 %")
        #expect(
            ProgressBar.line("Seeding", share: 0.5, note: "5 of 10", elapsed: .seconds(70), width: 60).text
                == "Seeding █████████·········  50 %  5 of 10  1 min 10 s left"
        )
        for width in 10...200 {
            for share in [-1, 0, 0.33, 1, 2, .nan] {
                let line = ProgressBar.line("Importing", share: share, note: "12,345 entries", elapsed: .seconds(3), width: width)
                #expect(line.width < max(width, 2))
            }
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct TerminalSizeTests {
    @Test func `without a terminal the size is read from the environment, or is 80 by 24`() {
        #expect(TerminalSize.current(of: -1, environment: ["COLUMNS": "132", "LINES": "50"]) == TerminalSize(columns: 132, rows: 50))
        #expect(TerminalSize.current(of: -1, environment: ["COLUMNS": "none"]) == TerminalSize(columns: 80, rows: 24))
    }
}
