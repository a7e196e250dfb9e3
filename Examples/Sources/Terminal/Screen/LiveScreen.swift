import Dispatch
import Foundation

/// A picture that fills the terminal and changes in place, while keys and changes of size arrive as events.
///
/// Whatever happens, the terminal is left as it was: at the end, when the work throws, on Ctrl-C, on `kill`, when the terminal is closed, and in a crash. Ctrl-Z
/// stops the process as usual, and the picture is drawn anew when it goes on.
package actor LiveScreen {
    package enum Event: Hashable, Sendable {
        case key(Key)
        case resized(TerminalSize)
        /// A signal asks the process to end.
        case ended(signal: Int32)
    }

    /// How large the terminal is.
    package private(set) var size = TerminalSize.current()

    private let palette: Palette
    private let events: AsyncStream<Event>.Continuation
    private var diff = FrameDiff()
    private var isOpen = true
    private let mode: termios

    private init(palette: Palette, events: AsyncStream<Event>.Continuation) {
        self.palette = palette
        self.events = events
        mode = TerminalMode.begin()
    }

    /// Shows a screen while a piece of work goes on. There must be a terminal at standard input and output.
    package static func run<Result: Sendable>(
        palette: Palette,
        _ work: @escaping @Sendable (LiveScreen, AsyncStream<Event>) async throws -> Result
    ) async throws -> Result {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        TerminalMode.restoreOnCrash()
        let screen = LiveScreen(palette: palette, events: continuation)
        let inputs = TerminalInputs()
        // Ended by `stop()`, which ends the stream that it reads.
        let reading = Task { for await input in inputs.stream { await screen.take(input) } }
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await work(screen, events)) } catch { result = .failure(error) }
        inputs.stop()
        await reading.value
        await screen.close()
        return try result.get()
    }

    /// Draws the next picture: only lines that differ from the last one are written, in one go.
    package func draw(_ lines: [Line]) {
        guard isOpen else { return }
        let text = diff.update(to: lines, size: size, palette: palette)
        // A terminal that is gone is told of by an event.
        if !text.isEmpty { try? Output.write(text) }
    }

    private func close() {
        isOpen = false
        TerminalMode.end(mode)
        events.finish()
    }

    private func take(_ input: TerminalInputs.Input) {
        switch input {
        case .bytes(let bytes): take(Key.read(bytes))
        case .closed: events.yield(.ended(signal: SIGHUP))
        case .signal(SIGWINCH): measure()
        case .signal(SIGCONT):
            // Whoever stopped the process may have used the terminal since.
            _ = TerminalMode.begin()
            measure()
        case .signal(let number): events.yield(.ended(signal: number))
        }
    }

    private func take(_ keys: [Key]) {
        for key in keys {
            switch key {
            case .control("c"): events.yield(.ended(signal: SIGINT))
            case .control("z"): suspend()
            default: events.yield(.key(key))
            }
        }
    }

    private func measure() {
        size = TerminalSize.current()
        // The terminal has moved its lines about by itself.
        diff.forget()
        events.yield(.resized(size))
    }

    /// Gives the terminal back and stops, with the whole group of processes, as a shell expects it; what follows happens when the process goes on.
    private func suspend() {
        TerminalMode.end(mode)
        kill(0, SIGTSTP)
        _ = TerminalMode.begin()
        measure()
    }
}
