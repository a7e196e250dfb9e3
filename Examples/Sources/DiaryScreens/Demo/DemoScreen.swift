import FoodDiaryKit
import QueryKit
import Terminal

/// A screen of today that stays open during the demo, and prints what changes on it.
actor DemoScreen {
    private let model: DayViewModel
    private let console: Console
    private var reading: Task<Void, Never>?
    private var shown: LiveDay?
    private var changedAt = ContinuousClock.now
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// More time than the screen needs, so that a broken demo ends with an error instead of waiting forever.
    private static let timeout = Duration.seconds(5)

    init(_ diary: FoodDiary, console: Console) {
        model = DayViewModel(diary.client)
        self.console = console
    }

    func open() {
        let days = model.days()
        // Cancelled by `close()`.
        reading = Task { for await day in days { take(day) } }
    }

    func close() { reading?.cancel() }

    private func take(_ day: LiveDay) {
        guard day.screen != nil, day.screen != shown?.screen else { return }
        shown = day
        changedAt = .now
        for waiter in waiting { waiter.resume() }
        waiting = []
    }

    func show() async throws {
        if shown == nil { try await wait() }
        try console.write(shown?.screen?.lines(width: console.width) ?? [])
    }

    /// Performs an action, waits until the screen shows its result, and prints how long that took.
    func changes(_ act: @Sendable () async throws -> String) async throws {
        let before = shown?.screen
        let start = ContinuousClock.now
        let said = try await act()
        let end = ContinuousClock.now
        while !hasFollowed(before) { try await wait() }
        guard let day = shown, let screen = day.screen, let before else { return }
        try console.write(fitted: "\("→", .strong) \(said)")
        let energy =
            "\(Number.whole(before.total.nutrients.kilocalories)) → \(FoodNumber.kilocalories(screen.total.nutrients.kilocalories))"
        let (gap, order) = changedAt > end ? (changedAt - end, "after") : (end - changedAt, "before")
        try tell("the screen", "\(energy), \(before.entries.count) → \(FoodNumber.entries(screen.entries.count))", .good)
        try tell("because", day.cause)
        try tell("when", "\(Number.duration(changedAt - start)) after the start, \(Number.duration(gap)) \(order) the end")
        try console.write()
        let changed = DayScreen(day: screen.day, entries: screen.entries.filter { !before.entries.contains($0) }, total: screen.total)
        try console.write(changed.table.lines(width: min(console.width, 100)))
    }

    /// Whether both the entries and their total have changed, and the change is committed.
    private func hasFollowed(_ before: DayScreen?) -> Bool {
        guard let screen = shown?.screen, !screen.entries.contains(where: \.isProvisional) else { return false }
        return screen.entries != before?.entries && screen.total != before?.total && screen.total.entryCount == screen.entries.count
    }

    /// Prints a label with a text beside it.
    private func tell(_ word: String, _ text: String, _ style: Style = .plain) throws {
        for (index, line) in Line.wrapped(text, to: console.width - 14, style).enumerated() {
            try console.write(Line("  " + (index == 0 ? word : "")).padded(to: 14) + line)
        }
    }

    private func wait() async throws {
        let timer = Task {
            try? await Task.sleep(for: Self.timeout)
            if !Task.isCancelled { giveUp() }
        }
        defer { timer.cancel() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiting.append($0) }
        } onCancel: {
            Task { await giveUp() }
        }
        try Task.checkCancellation()
        if shown == nil || isLate {
            throw FoodDiaryError(.notFound, "The screen did not show the change within \(Number.duration(Self.timeout)).")
        }
    }

    private var isLate = false

    private func giveUp() {
        isLate = true
        for waiter in waiting { waiter.resume() }
        waiting = []
    }
}
