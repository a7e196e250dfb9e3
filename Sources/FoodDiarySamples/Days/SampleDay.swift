import FoodDiaryKit
import Foundation

/// One day of a sample: its entries follow from the seed and the day alone, whichever days come before it.
struct SampleDay {
    let day: FoodDay
    /// How many entries it has when it is over. None on a day that was forgotten, or one that the time zone leaves out.
    private let wholeCount: Int
    /// When it is not over yet, the moment that is now.
    private let end: Date?
    private let clock: SampleClock
    private let seed: UInt64

    init(_ day: FoodDay, of sample: FoodDiarySample) {
        self.day = day
        seed = sample.seed ^ 0x0DA7_A5ED
        clock = SampleClock(day, in: sample.timeZone)
        var random = SampleRandom(seed: seed, of: day.number)
        let isMissed = random.chance(of: 3)
        // Now and then somebody logs nothing for some days of a week.
        var week = SampleRandom(seed: seed &+ 1, of: day.week(startingOn: .monday).lowerBound.number)
        let isAway = week.chance(of: 3) && day.weekday.rawValue >= week.within(1...6)
        let percent = random.within(70...130)
        wholeCount =
            isMissed || isAway || !clock.exists ? 0 : max(sample.entriesPerDay.signum(), (sample.entriesPerDay * percent + 50) / 100)
        // No zone is a day behind that of zero: a day that began two days ago is over everywhere.
        end = sample.end.flatMap { $0.timeIntervalSince1970 < Double(day.number + 2) * 86_400 ? $0 : nil }
    }

    /// How many entries it has.
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

    /// When something is eaten, and at which meal. All of the day is drawn, so that what was eaten until now does not depend on when that is.
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

/// The clock on the wall on one day. A zone is asked a few times a day, rather than twice an entry.
struct SampleClock {
    private let day: FoodDay
    private let timeZone: TimeZone
    private let offset: Int
    private let changes: Bool
    /// False for a day that a zone leaves out, as Samoa did with 30 December 2011.
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
