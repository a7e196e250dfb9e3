import FoodDiaryKit
import Foundation

/// One day of a sample. Its entries depend only on the seed and the day, not on the days before it.
struct SampleDay {
    let day: FoodDay
    /// The number of entries of the complete day. Zero for a day without logging, or a day that the time zone skips.
    private let wholeCount: Int
    /// The current moment, if the day is not over yet.
    private let end: Date?
    private let clock: SampleClock
    private let seed: UInt64

    init(_ day: FoodDay, of sample: FoodDiarySample) {
        self.day = day
        seed = sample.seed ^ 0x0DA7_A5ED
        clock = SampleClock(day, in: sample.timeZone)
        var random = SampleRandom(seed: seed, of: day.number)
        let isMissed = random.chance(of: 3)
        // Now and then nothing is logged for some days of a week.
        var week = SampleRandom(seed: seed &+ 1, of: day.week(startingOn: .monday).lowerBound.number)
        let isAway = week.chance(of: 3) && day.weekday.rawValue >= week.within(1...6)
        let percent = random.within(70...130)
        wholeCount =
            isMissed || isAway || !clock.exists ? 0 : max(sample.entriesPerDay.signum(), (sample.entriesPerDay * percent + 50) / 100)
        // No time zone is a full day behind GMT, so a day that began two days ago is over everywhere.
        end = sample.end.flatMap { $0.timeIntervalSince1970 < Double(day.number + 2) * 86_400 ? $0 : nil }
    }

    /// The number of entries.
    var count: Int {
        guard end != nil else { return wholeCount }
        var random = SampleRandom(seed: seed &+ 2, of: day.number)
        return times(&random).count
    }

    func entries(from menu: SampleMenu) -> [FoodEntry.Draft] {
        var random = SampleRandom(seed: seed &+ 2, of: day.number)
        let season = SampleSeason(month: day.month)
        return times(&random).map { time in menu.draw(time.meal, season, at: clock.moment(second: time.second), &random) }
    }

    /// The times of the meals. The whole day is always generated, so what was eaten up to `end` doesn't depend on `end`.
    private func times(_ random: inout SampleRandom) -> [(second: Int, meal: Int)] {
        let isWeekend = day.weekday.rawValue >= 6
        let times = (0..<wholeCount).map { _ in
            let meal = SampleMeal.draw(&random)
            return (second: SampleMeal.all[meal].second(onWeekend: isWeekend, &random), meal: meal)
        }
        let sorted = times.sorted { ($0.second, $0.meal) < ($1.second, $1.meal) }
        guard let end else { return sorted }
        return Array(sorted.prefix { clock.moment(second: $0.second).date <= end })
    }
}

/// The local clock on one day. Looks up the zone's offset a few times per day instead of twice per entry.
struct SampleClock {
    private let day: FoodDay
    private let timeZone: TimeZone
    private let offset: Int
    private let changes: Bool
    /// False for a day that a zone skips, as Samoa skipped 30 December 2011.
    let exists: Bool

    init(_ day: FoodDay, in timeZone: TimeZone) {
        self.day = day
        self.timeZone = timeZone
        let midnight = Double(day.number) * 86_400
        let offset = { (local: Double) in
            let guess = timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: local))
            return timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: local - Double(guess)))
        }
        self.offset = offset(midnight + 43_200)
        changes = offset(midnight) != self.offset || offset(midnight + 86_399) != self.offset
        exists = FoodDay(Date(timeIntervalSince1970: midnight + 43_200 - Double(self.offset)), in: timeZone) == day
    }

    func moment(second: Int) -> FoodMoment {
        let seconds = day.number * 86_400 + second - offset
        guard !changes else { return FoodMoment(Date(timeIntervalSince1970: Double(seconds)), in: timeZone) }
        return FoodMoment(milliseconds: Int64(seconds) * 1000, timeZone: timeZone.identifier, day: day, hour: second / 3600)
    }
}
