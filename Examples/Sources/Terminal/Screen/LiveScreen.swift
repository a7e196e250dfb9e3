import Dispatch
import Foundation

/// A screen that fills the terminal and is updated in place, while keys and size changes are delivered as events.
///
/// Always restores the terminal: at the end, after an error, on Ctrl-C, on `kill`, when the terminal is closed, and after a crash. Ctrl-Z
/// stops the process as usual, and the screen is redrawn when the process continues.
package actor LiveScreen {
    package enum Event: Hashable, Sendable {
        case key(Key)
        case resized(TerminalSize)
        /// A signal requests the end of the process.
        case ended(signal: Int32)
    }

    /// The size of the terminal.
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

    /// Shows a screen while work is running. Standard input and output must be a terminal.
    package static func run<Result: Sendable>(
        palette: Palette,
        _ work: @escaping @Sendable (LiveScreen, AsyncStream<Event>) async throws -> Result
    ) async throws -> Result {
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        TerminalMode.restoreOnCrash()
        let screen = LiveScreen(palette: palette, events: continuation)
        let inputs = TerminalInputs()
        // Ended by `stop()`, which finishes the stream that this task reads.
        let reading = Task { for await input in inputs.stream { await screen.take(input) } }
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await work(screen, events)) } catch { result = .failure(error) }
        inputs.stop()
        await reading.value
        await screen.close()
        return try result.get()
    }

    /// Draws the next frame: writes only the lines that differ from the last one, in a single call.
    package func draw(_ lines: [Line]) {
        guard isOpen else { return }
        let text = diff.update(to: lines, size: size, palette: palette)
        // A closed terminal is reported by an event.
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
            // Other programs may have used the terminal while the process was stopped.
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
        // The terminal itself has moved lines.
        diff.forget()
        events.yield(.resized(size))
    }

    /// Restores the terminal and stops the whole process group, as a shell expects. The code after this call runs when the process
    /// continues.
    private func suspend() {
        TerminalMode.end(mode)
        kill(0, SIGTSTP)
        _ = TerminalMode.begin()
        measure()
    }
}
