import DemoActs
import QueryKit
import Terminal
import Testing

/// Keys, pauses, and the layout of the live screen.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct PlayerTests {
    @Test func `the arrows change the act, and the summary follows the last one`() {
        var playback = Playback(count: 2)
        #expect(playback.press(.left) == nil)
        #expect(playback.press(.right) == .show)
        #expect(playback.position == 1)
        #expect(playback.finishAct() == .show)
        #expect(playback.showsSummary)
        #expect(playback.press(.right) == nil)
        #expect(playback.press(.character(" ")) == nil)
        #expect(playback.press(.left) == .show)
        #expect(playback.position == 1)
    }

    @Test func `space pauses and continues, and a step pauses at the next change`() {
        var playback = Playback(count: 2)
        #expect(playback.press(.character(" ")) == .pause)
        #expect(playback.isPaused)
        #expect(playback.press(.character(" ")) == .resume)
        #expect(!playback.isPaused)
        #expect(playback.press(.down) == .step)
        #expect(playback.isPaused)
    }

    @Test func `r replays the act, or all acts after the summary, and continues if it was paused`() {
        var playback = Playback(count: 2)
        _ = playback.press(.right)
        _ = playback.press(.character(" "))
        #expect(playback.press(.character("r")) == .show)
        #expect(playback.position == 1)
        #expect(!playback.isPaused)
        _ = playback.finishAct()
        #expect(playback.press(.character("r")) == .show)
        #expect(playback.position == 0)
    }

    @Test(arguments: [Key.character("q"), .escape])
    func `q and escape quit`(key: Key) {
        var playback = Playback(count: 2)
        #expect(playback.press(key) == .quit)
        #expect(playback.press(.character("x")) == nil)
    }

    @Test func `a paused pacer waits until it continues, and a step ends with the next change`() async throws {
        let pacer = Pacer()
        try await pacer.pass(.zero)
        pacer.pause()
        var passed = false
        let waiting = Task {
            try await pacer.pass(.zero)
            passed = true
        }
        pacer.step()
        try await waiting.value
        #expect(passed)
        pacer.finishStep()
        #expect(pacer.isPaused)
    }

    @Test func `a cancelled act doesn't stay paused`() async throws {
        let pacer = Pacer()
        pacer.pause()
        let waiting = Task { try await pacer.pass(.zero) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test(arguments: [(80, 24), (99, 30), (100, 24), (120, 32), (200, 60), (40, 10)])
    func `a live screen fills its terminal exactly, at each moment of each act`(columns: Int, rows: Int) async throws {
        let size = TerminalSize(columns: columns, rows: rows)
        for (index, act) in Act.all.enumerated() {
            var pictures = [StagePicture()]
            _ = try await Stage.play(act, executable: #require(DemoProgram.file), onChange: { pictures.append($0) })
            for picture in pictures {
                let screen = ActScreen(act, number: index + 1, of: Act.all.count, picture: picture, isPaused: false)
                let lines = screen.lines(in: size)
                #expect(lines.count == rows)
                #expect(lines.allSatisfy { $0.width <= columns })
                #expect(lines.contains { $0.text.contains("│") } == (columns >= 100))
            }
        }
    }

    @Test(arguments: [(40, 10), (80, 24), (120, 32)])
    func `the address of the inspector takes the place of the blank line`(columns: Int, rows: Int) {
        let size = TerminalSize(columns: columns, rows: rows)
        func lines(_ inspector: String?) -> [String] {
            ActScreen(Act.all[0], number: 1, of: 9, picture: StagePicture(), isPaused: false, inspector: inspector).lines(in: size).map(
                \.text
            )
        }
        let (plain, inspected) = (lines(nil), lines("http://127.0.0.1:5/"))
        #expect(inspected.count == rows)
        #expect(zip(plain, inspected).filter { $0 != $1 }.map(\.1) == ["Inspector: http://127.0.0.1:5/"])
        #expect(zip(plain, inspected).filter { $0 != $1 }.map(\.0) == [""])
    }

    @Test func `a stage plays the app that it is given, and reports each further client`() async throws {
        for (number, count) in [(1, 0), (3, 1), (5, 2)] {
            let app = StageApp()
            var launched: [QueryClient] = []
            _ = try await Stage.play(
                Act.all[number - 1],
                executable: #require(DemoProgram.file),
                app: app,
                onLaunch: { launched.append($0) }
            )
            #expect(launched.count == count, "act \(number)")
            #expect(!launched.contains { $0 === app.client })
            if count == 0 { #expect(app.client.metrics.total.runs > 0) }
        }
    }

    @Test func `the mark follows the line that is being executed, which is visible on a small screen`() async throws {
        var marked: [String] = []
        let act = Act.all[6]
        _ = try await Stage.play(
            act,
            executable: #require(DemoProgram.file),
            onChange: { picture in
                let screen = ActScreen(act, number: 7, of: 9, picture: picture, isPaused: false)
                let lines = screen.lines(in: TerminalSize(columns: 80, rows: 14))
                marked += lines.map(\.text).filter { $0.hasPrefix("▸") }
            }
        )
        #expect(Set(marked) == ["▸ try await stage.passes(.seconds(4.8), in: .seconds(2.4))"])
    }

    @Test func `the summary lists the outcomes by number`() {
        let lines = SummaryScreen([2: "Second.", 1: "First."]).lines(width: 40).map(\.text)
        #expect(lines == ["1  1,000 callers, one fetch", "   First.", "2  Stale while revalidate", "   Second."])
    }
}
