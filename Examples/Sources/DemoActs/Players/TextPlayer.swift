package import Foundation
package import QueryKit
package import Terminal

/// Plays acts as plain text, without waiting: the clock of the stage advances as fast as the app can follow.
package struct TextPlayer: Sendable {
    private let console: Console
    private let executable: URL

    package init(console: Console, executable: URL) {
        self.console = console
        self.executable = executable
    }

    /// Plays acts, and writes each one at its end.
    ///
    /// - Parameter numbers: The numbers of the acts, from 1.
    @MainActor
    package func play(_ numbers: [Int]) async throws {
        for number in numbers {
            let act = Act.all[number - 1]
            let picture = try await Stage.play(act, executable: executable)
            let text = ActText(act, number: number, of: Act.all.count, picture: picture)
            try console.write(text.lines(width: console.width).map { $0.truncated(to: console.width) })
        }
    }
}

extension Stage {
    /// Plays an act on a new stage, and returns the last picture.
    package static func play(
        _ act: Act,
        executable: URL,
        app: StageApp = StageApp(),
        pace: @escaping Pace = { _ in },
        onChange: @escaping @MainActor (StagePicture) -> Void = { _ in },
        onLaunch: @escaping @MainActor (QueryClient) async -> Void = { _ in }
    ) async throws -> StagePicture {
        let stage = Stage(executable: executable, app: app, pace: pace, onChange: onChange, onLaunch: onLaunch)
        let result: Result<Void, any Error>
        do { result = .success(try await act.play(stage)) } catch { result = .failure(error) }
        await stage.close()
        try result.get()
        return stage.picture
    }
}
