package import Foundation
package import Terminal

/// Plays acts on a live screen, until the audience quits.
@MainActor
package final class LivePlayer {
    private enum Event: Sendable {
        case screen(LiveScreen.Event)
        /// A picture of an act. The number of the performance shows whether that performance is still the current one.
        case picture(StagePicture, performance: Int)
        case over(performance: Int)
        case failed(any Error)
    }

    private let numbers: [Int]
    private let executable: URL
    private let inspector: ActInspector?
    private var playback: Playback
    private var picture = StagePicture()
    private var outcomes: [Int: String] = [:]
    private var pacer = Pacer()
    private var performance = 0
    private var playing: Task<Void, Never>?
    private let (events, signal) = AsyncStream.makeStream(of: Event.self)

    /// How long the code of an act is shown before the act begins, and its outcome afterwards.
    private static let pauses = (before: Duration.milliseconds(300), after: Duration.milliseconds(700))

    /// - Parameters:
    ///   - numbers: The numbers of the acts, from 1.
    ///   - executable: The program to start as another process.
    ///   - inspector: Shows the clients of the acts. It is stopped at the end.
    package init(_ numbers: [Int], executable: URL, inspector: ActInspector? = nil) {
        self.numbers = numbers
        self.executable = executable
        self.inspector = inspector
        playback = Playback(count: numbers.count)
    }

    /// Plays the acts, and returns the exit code of the process. Writes the summary at the end if it was shown.
    package func play(on console: Console) async throws -> Int32 {
        let code = try await LiveScreen.run(palette: console.palette) { [self] screen, screenEvents in
            // Ends with the stream, which the screen finishes after this closure has returned.
            Task { for await event in screenEvents { signal.yield(.screen(event)) } }
            return try await drive(screen)
        }
        await inspector?.stop()
        if code == 0, playback.showsSummary { try console.write(SummaryScreen(outcomes).lines(width: console.width)) }
        return code
    }

    private func drive(_ screen: LiveScreen) async throws -> Int32 {
        do {
            await show()
            await draw(on: screen)
            for await event in events {
                if let code = try await take(event) {
                    await stop()
                    return code
                }
                await draw(on: screen)
            }
        } catch {
            await stop()
            throw error
        }
        return 0
    }

    /// Reacts to an event. Returns the exit code if the event ends the demo.
    private func take(_ event: Event) async throws -> Int32? {
        switch event {
        case .screen(.ended(let number)): return 128 + number
        case .screen(.resized): break
        case .screen(.key(let key)):
            switch playback.press(key) {
            case .show: await show()
            case .pause: pacer.pause()
            case .resume: pacer.resume()
            case .step: pacer.step()
            case .quit: return 0
            case nil: break
            }
        case .picture(let next, let number) where number == performance:
            if next.entries.count > picture.entries.count { pacer.finishStep() }
            picture = next
            if let outcome = next.outcome { outcomes[numbers[playback.position]] = outcome }
        case .over(let number) where number == performance:
            _ = playback.finishAct()
            await show()
        case .picture, .over: break
        case .failed(let error): throw error
        }
        return nil
    }

    private func draw(on screen: LiveScreen) async {
        let size = await screen.size
        if playback.showsSummary { return await screen.draw(SummaryScreen(outcomes).lines(in: size)) }
        let number = numbers[playback.position]
        let shown = ActScreen(
            Act.all[number - 1],
            number: number,
            of: Act.all.count,
            picture: picture,
            isPaused: playback.isPaused,
            inspector: inspector?.address
        )
        await screen.draw(shown.lines(in: size))
    }

    /// Plays the act at the position from its beginning.
    private func show() async {
        await stop()
        performance += 1
        picture = StagePicture()
        pacer = Pacer()
        guard !playback.showsSummary else { return }
        let number = numbers[playback.position]
        let app = await inspector?.app(of: number) ?? StageApp()
        playing = Task { [pacer, performance, signal, executable, inspector] in
            do {
                try await pacer.pass(Self.pauses.before)
                _ = try await Stage.play(
                    Act.all[number - 1],
                    executable: executable,
                    app: app,
                    pace: { try await pacer.pass($0) },
                    onChange: { signal.yield(.picture($0, performance: performance)) },
                    onLaunch: { await inspector?.show($0, of: number) }
                )
                try await pacer.pass(Self.pauses.after)
                signal.yield(.over(performance: performance))
            } catch {
                if !Task.isCancelled { signal.yield(.failed(error)) }
            }
        }
    }

    /// Cancels the act that is played, and waits until its files are closed.
    private func stop() async {
        playing?.cancel()
        await playing?.value
        playing = nil
    }
}
