package import FoodDiaryKit
package import Foundation
import QueryKit
package import Terminal

/// The live screen: draws today after each change, until the user quits.
package struct Watch: Sendable {
    private enum Event: Sendable {
        /// Today's state has changed.
        case changed(LiveDay)
        case screen(LiveScreen.Event)
        /// The file of the diary was replaced or removed.
        case gone
    }

    private let diary: FoodDiary
    private let palette: Palette
    private let file: URL?
    private let inspector: URL?

    /// - Parameters:
    ///   - file: The file of the diary. The screen ends when it is replaced or removed.
    ///   - inspector: The address of the inspector, if there is one. The screen shows it.
    package init(_ diary: FoodDiary, palette: Palette, file: URL?, inspector: URL? = nil) {
        self.diary = diary
        self.palette = palette
        self.file = file
        self.inspector = inspector
    }

    /// Shows the screen and returns the exit code of the process.
    package func run() async throws -> Int32 {
        let model = DayViewModel(diary.client)
        let timeZone = diary.client.context.timeZone
        return try await LiveScreen.run(palette: palette) { screen, events in
            let (merged, continuation) = AsyncStream.makeStream(of: Event.self)
            // The first two end with the streams that they read: the screen's stream ends when this closure returns, and the model's when
            // its task is cancelled. The third is cancelled, too.
            let days = Task { for await day in model.days() { continuation.yield(.changed(day)) } }
            let keys = Task { for await event in events { continuation.yield(.screen(event)) } }
            let clock = diary.client.context.clock
            let guarding = Task { [file] in
                guard let file, let watch = FileWatch(file) else { return }
                try await watch.untilGone(clock)
                continuation.yield(.gone)
            }
            defer {
                days.cancel()
                keys.cancel()
                guarding.cancel()
            }
            var shown = WatchScreen(.empty, timeZone: timeZone, inspector: inspector)
            await screen.draw(shown.lines(in: await screen.size))
            for await event in merged {
                let size = await screen.size
                switch event {
                case .changed(let day):
                    if day == shown.day { continue }
                    shown = shown.showing(day)
                case .screen(.key(.character("q"))), .screen(.key(.escape)): return 0
                case .screen(.key(.down)), .screen(.key(.character("j"))):
                    shown = shown.scrolled(to: min(shown.offset + 1, shown.scrollLimit(in: size)))
                case .screen(.key(.up)), .screen(.key(.character("k"))):
                    shown = shown.scrolled(to: max(shown.offset - 1, 0))
                case .screen(.key): continue
                case .screen(.resized): break
                case .screen(.ended(let signal)): return 128 + signal
                case .gone:
                    throw CommandError(
                        "\(file?.path ?? "The diary") was replaced or removed while it was shown. To show the current file: food-diary watch"
                    )
                }
                await screen.draw(shown.lines(in: size))
            }
            return 0
        }
    }
}
