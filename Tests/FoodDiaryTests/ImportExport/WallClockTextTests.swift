import Foundation
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import FoodDiarySamples

struct WallClockTextTests {
    private func text(_ moment: FoodMoment, in zone: TimeZone? = nil) -> String {
        var bytes: [UInt8] = []
        WallClockText(moment) { zone?.secondsFromGMT(for: $0.date) }.write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func moment(_ text: String, in zone: String = "") throws -> FoodMoment { try KnownTimeZones().moment(text, in: zone) }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2026-11-21T08:30:00+01:00", 1_795_246_200_000), ("2026-11-21 08:30+01", 1_795_246_200_000),
        ("2026-11-21t08:30:00.5+0100", 1_795_246_200_500), ("2026-11-21T08:30:00,123999+01:00", 1_795_246_200_123),
        ("1969-12-31T23:59:59.999Z", -1), ("2024-02-29T12:00:00-09:30", 1_709_242_200_000),
        ("0001-01-01T00:00:00+00:00", -62_135_596_800_000),
    ])
    func `moments are read to the millisecond`(_ text: String, _ milliseconds: Int64) throws {
        #expect(try WallClockText(text).milliseconds == milliseconds)
    }

    @Test(arguments: [
        "", "now", "2026-11-21", "2026-11-21T08:30", "2026-11-21T08:30:00", "21.11.2026 08:30", "2026-13-01T00:00:00Z",
        "2026-02-30T00:00:00Z",
        "2025-02-29T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T23:60:00Z", "2026-11-21T23:59:60Z", "2026-11-21T08:30:00+24:00",
        "2026-11-21T08:30:00+01:60", "2026-11-21T08:30:00+1", "2026-11-21T08:30:00.Z", "2026-11-21T08:30:00Z ", "0000-01-01T00:00:00Z",
        "0001-01-01T00:00:00+01:00", "9999-12-31T23:00:00-05:00", "2026-11-21T08:30:00＋01:00", "２026-11-21T08:30:00Z",
        "-026-11-21T08:30:00Z",
    ])
    func `text that is not a moment is refused`(_ text: String) { #expect(throws: UnreadableValue.self) { try WallClockText(text) } }

    @Test func `the error for a moment outside of the calendar has its text`() {
        let text = "0001-01-01T00:00:00+01:00"
        let error = #expect(throws: UnreadableValue.self) { try WallClockText(text) }
        #expect(error?.message == "\(text) is outside the years 1 to 9999.")
    }

    @Test func `a moment is written as the local clock showed it`() throws {
        let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
        let summer = FoodMoment(Date(timeIntervalSince1970: 1_783_000_000.25), in: berlin)
        #expect(text(summer, in: berlin) == "2026-07-02T15:46:40.250+02:00")
        // A zone unknown on this system: the logged day and hour are kept.
        let moment = FoodMoment(milliseconds: 1_783_000_000_250, timeZone: "Mars/Olympus", day: summer.day, hour: 15)
        #expect(text(moment) == "2026-07-02T15:46:40.250+02:00")
        // Rules that have changed since.
        let other = FoodMoment(milliseconds: 1_783_000_000_250, timeZone: "Europe/Berlin", day: summer.day, hour: 17)
        #expect(text(other, in: berlin) == "2026-07-02T17:46:40.250+04:00")
    }

    @Test(arguments: [
        "Europe/Berlin", "America/St_Johns", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Kiritimati", "Pacific/Pago_Pago",
        "Africa/Monrovia", "GMT",
    ])
    func `a written moment is read as the same moment`(_ name: String) throws {
        let zone = try #require(TimeZone(identifier: name))
        var random = SampleRandom(seed: 7)
        for range in [-62_135_596_800_000...253_402_214_400_000, 0...2_000_000_000_000, -3_000_000_000_000...0] {
            for _ in 0..<300 {
                let date = Date(timeIntervalSince1970: Double(random.within(range)) / 1000)
                let moment = FoodMoment(date, in: zone)
                let read = try self.moment(text(moment, in: zone), in: name)
                #expect(read.milliseconds == moment.milliseconds)
                #expect((read.day, read.hour) == (moment.day, moment.hour), "\(text(moment, in: zone))")
            }
        }
    }

    @Test func `moments at the ends of time are written and read`() throws {
        for name in ["Pacific/Kiritimati", "Pacific/Pago_Pago"] {
            let zone = try #require(TimeZone(identifier: name))
            for date in [Date.distantPast, .distantFuture, Date(timeIntervalSince1970: -1e20), Date(timeIntervalSince1970: 1e20)] {
                let moment = FoodMoment(date, in: zone)
                #expect(try self.moment(text(moment, in: zone), in: name) == moment)
            }
        }
    }

    @Test func `an offset gives the day and hour, and a time in Greenwich is converted to the zone`() throws {
        let evening = try moment("2026-11-21T23:30:00+01:00", in: "Asia/Tokyo")
        #expect((evening.day.description, evening.hour, evening.timeZone) == ("2026-11-21", 23, "Asia/Tokyo"))
        let morning = try moment("2026-11-21T22:30:00Z", in: "Asia/Tokyo")
        #expect((morning.day.description, morning.hour) == ("2026-11-22", 7))
        let unnamed = try moment("2026-11-21T23:30:00+05:30")
        #expect((unnamed.hour, unnamed.timeZone) == (23, "GMT+0530"))
        #expect(try moment("2026-11-21T23:30:00Z").timeZone == "GMT")
        #expect(throws: UnreadableValue.self) { try moment("2026-11-21T23:30:00Z", in: "Mars/Olympus") }
    }
}
