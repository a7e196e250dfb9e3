import Foundation
import TestSupport
import Testing

@testable import QueryKit

struct SaveScheduleTests {
    private func second(_ count: Double) -> QueryInstant { .zero.advanced(by: .milliseconds(Int64(count * 1_000))) }

    /// The actions of a schedule with a quiet period of two seconds, for events at given seconds.
    private func actions(_ events: [(Double, Event)]) -> [String] {
        var schedule = SaveSchedule(quiet: .seconds(2))
        return events.map { time, event in
            switch event {
            case .change: text(schedule.change(at: second(time)))
            case .timer: text(schedule.timerFired(at: second(time)))
            case .saved: text(schedule.saveEnded(isSaved: true, at: second(time)))
            case .failed: text(schedule.saveEnded(isSaved: false, at: second(time)))
            case .end:
                {
                    schedule.end()
                    return "-"
                }()
            case .now:
                {
                    let (action, save) = schedule.saveNow()
                    return text(action) + (save.map { " #\($0)" } ?? "")
                }()
            }
        }
    }

    private enum Event { case change, timer, saved, failed, now, end }

    private func text(_ action: SaveSchedule.Action?) -> String {
        switch action {
        case nil: "-"
        case .save: "save"
        case .wait(let deadline): "wait \(deadline.nanoseconds / 1_000_000)"
        }
    }

    @Test func `R28 a change is saved when nothing else has changed for the quiet period`() {
        #expect(actions([(1, .change), (3, .timer), (4, .saved), (5, .timer)]) == ["wait 3000", "save", "-", "-"])
    }

    @Test func `R28 each change restarts the quiet period without setting another timer`() {
        let events: [(Double, Event)] = [(0, .change), (1, .change), (1.5, .change), (2, .timer), (3, .change), (3.5, .timer), (5, .timer)]
        #expect(actions(events) == ["wait 2000", "-", "-", "wait 3500", "-", "wait 5000", "save"])
    }

    @Test func `R28 a change is saved after ten quiet periods if others keep coming`() {
        var events: [(Double, Event)] = [(0, .change)]
        for time in 1..<20 { events += [(Double(time), .change), (Double(time), .timer)] }
        events.append((20, .timer))
        #expect(actions(events).suffix(3) == ["-", "wait 20000", "save"])
    }

    @Test func `R28 a change during a save causes one more save, after the quiet period`() {
        let events: [(Double, Event)] = [
            (0, .change), (2, .timer), (3, .change), (3.5, .change), (3.6, .timer), (4, .saved), (5.5, .timer),
        ]
        #expect(actions(events) == ["wait 2000", "save", "-", "-", "-", "wait 5500", "save"])
    }

    @Test func `R28 after a save longer than the quiet period the next one begins at once`() {
        let events: [(Double, Event)] = [(0, .change), (2, .timer), (3, .change), (9, .saved), (10, .saved), (11, .timer)]
        #expect(actions(events) == ["wait 2000", "save", "-", "save", "-", "-"])
    }

    @Test func `R28 a failed save is repeated at the next change`() {
        let events: [(Double, Event)] = [(0, .change), (2, .timer), (3, .failed), (9, .timer), (10, .change), (12, .timer)]
        #expect(actions(events) == ["wait 2000", "save", "-", "-", "wait 12000", "save"])
        #expect(actions([(0, .change), (2, .timer), (3, .change), (4, .failed)]) == ["wait 2000", "save", "-", "wait 5000"])
    }

    @Test func `R28 a caller that saves on demand waits for the save that includes all changes so far`() {
        // Nothing has changed, or nothing since the last save.
        #expect(actions([(0, .now), (1, .change), (2, .now), (3, .saved), (4, .now)]) == ["-", "wait 3000", "save #1", "-", "-"])
        // The save under way includes everything.
        #expect(actions([(0, .change), (2, .timer), (2.5, .now), (3, .saved)]) == ["wait 2000", "save", "- #1", "-"])
        // It does not include a later change: the next save begins when it ends.
        let events: [(Double, Event)] = [(0, .change), (2, .timer), (3, .change), (3, .now), (3.1, .saved), (4, .saved)]
        #expect(actions(events) == ["wait 2000", "save", "-", "- #2", "save", "-"])
        // A failed save is retried.
        #expect(actions([(0, .change), (2, .timer), (3, .failed), (4, .now)]) == ["wait 2000", "save", "-", "save #2"])
    }

    @Test func `R28 nothing is saved after the schedule has ended`() {
        let events: [(Double, Event)] = [(0, .change), (1, .end), (2, .timer), (3, .change), (4, .now), (5, .saved)]
        #expect(actions(events) == ["wait 2000", "-", "-", "-", "-", "-"])
        #expect(actions([(0, .change), (2, .timer), (3, .change), (3, .end), (4, .saved)]) == ["wait 2000", "save", "-", "-", "-"])
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .infinity]) func `any length of the quiet period is accepted`(quiet: Duration) {
        var schedule = SaveSchedule(quiet: quiet)
        let deadline = quiet == .infinity ? QueryInstant.never : second(1)
        #expect(schedule.change(at: second(1)) == .wait(until: deadline))
        #expect(schedule.timerFired(at: deadline) == .save)
    }
}
