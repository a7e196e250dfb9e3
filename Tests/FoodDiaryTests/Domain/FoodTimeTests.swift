import Foundation
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite

/// Days and moments at clock changes and far from Greenwich.
struct FoodTimeTests {
    private func zone(_ identifier: String) throws -> TimeZone { try #require(TimeZone(identifier: identifier)) }

    private func date(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }

    @Test(
        arguments: [
            ("2026-03-29", "Europe/Berlin", "2026-03-28T23:00:00Z", 23), ("2026-10-25", "Europe/Berlin", "2026-10-24T22:00:00Z", 25),
            ("2026-11-21", "Europe/Berlin", "2026-11-20T23:00:00Z", 24), ("2026-03-08", "America/New_York", "2026-03-08T05:00:00Z", 23),
            ("2026-11-01", "America/New_York", "2026-11-01T04:00:00Z", 25), ("2026-11-21", "Asia/Kathmandu", "2026-11-20T18:15:00Z", 24),
            ("2026-11-21", "Pacific/Kiritimati", "2026-11-20T10:00:00Z", 24), ("2026-11-21", "Etc/GMT+12", "2026-11-21T12:00:00Z", 24),
            // Midnight does not exist: the day begins at one o'clock.
            ("2018-11-04", "America/Sao_Paulo", "2018-11-04T03:00:00Z", 23), ("2022-03-27", "Asia/Beirut", "2022-03-26T22:00:00Z", 23),
            // Midnight occurs twice: at the first one clocks go back to the day before, or to the beginning of this one.
            ("2018-02-17", "America/Sao_Paulo", "2018-02-17T02:00:00Z", 25),
            ("2018-02-18", "America/Sao_Paulo", "2018-02-18T03:00:00Z", 24),
            ("2026-11-01", "America/Havana", "2026-11-01T04:00:00Z", 25), ("2026-03-08", "America/Havana", "2026-03-08T05:00:00Z", 23),
            // Samoa moved across the date line and skipped a day.
            ("2011-12-29", "Pacific/Apia", "2011-12-29T10:00:00Z", 24), ("2011-12-30", "Pacific/Apia", "2011-12-30T10:00:00Z", 0),
            ("2011-12-31", "Pacific/Apia", "2011-12-30T10:00:00Z", 24),
        ] as [(String, String, String, Int)]
    )
    func `a day's beginning and length follow the clocks`(_ day: String, _ zone: String, _ start: String, _ hours: Int) throws {
        let (day, zone) = (try #require(FoodDay(day)), try self.zone(zone))
        #expect(try day.start(in: zone) == date(start))
        #expect(day.length(in: zone) == .seconds(hours * 3600))
    }

    @Test func `a moment that is not a date can't be encoded`() {
        let moment = FoodMoment(Date(timeIntervalSince1970: .nan), in: .gmt)
        #expect(throws: FoodDiaryError(.invalid, "The time is not a date: it was created from a Date that is not a number.")) {
            try JSONEncoder().encode(moment)
        }
    }

    @Test func `a day can be half an hour shorter`() throws {
        let zone = try zone("Australia/Lord_Howe")
        let changes = try #require(FoodDay("2026-01-01"))...#require(FoodDay("2026-12-31"))
        let odd = changes.filter { $0.length(in: zone) != .seconds(86_400) }
        #expect(odd.map(\.description) == ["2026-04-05", "2026-10-04"])
        #expect(odd.map { $0.length(in: zone) } == [.seconds(88_200), .seconds(84_600)])
    }

    @Test(
        arguments: [
            "GMT", "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "America/Havana", "Asia/Beirut", "Asia/Tehran",
            "Asia/Kathmandu",
            "Australia/Lord_Howe", "Pacific/Chatham", "Pacific/Kiritimati", "Etc/GMT+12", "Africa/Casablanca", "Asia/Gaza",
            "America/Asuncion",
        ]
    )
    func `each moment belongs to one day, from its first to its last millisecond`(_ identifier: String) throws {
        let zone = try zone(identifier)
        var day = try #require(FoodDay("2008-12-01"))
        let last = try #require(FoodDay("2028-02-01"))
        while day < last {
            let start = day.start(in: zone)
            let end = day.advanced(by: 1).start(in: zone).addingTimeInterval(-0.001)
            guard FoodDay(start, in: zone) == day, FoodDay(start.addingTimeInterval(-0.001), in: zone) == day.advanced(by: -1),
                FoodDay(end, in: zone) == day, (.seconds(82_800))...(.seconds(90_000)) ~= day.length(in: zone)
            else {
                Issue.record("\(day) in \(identifier) begins at \(start)")
                return
            }
            day = day.advanced(by: 1)
        }
    }

    @Test func `days at both ends of the calendar have a beginning too`() throws {
        for identifier in ["GMT", "Pacific/Kiritimati", "Etc/GMT+12"] {
            let zone = try zone(identifier)
            for day in [FoodDay.range.lowerBound, FoodDay.range.upperBound] { #expect(FoodDay(day.start(in: zone), in: zone) == day) }
            #expect(FoodDay.range.lowerBound.length(in: zone) == .seconds(86_400))
        }
    }

    @Test func `a moment has the day and hour of the local clock`() throws {
        let moment = try date("2026-11-21T11:59:59Z")
        for (zone, day, hour) in [
            ("GMT", "2026-11-21", 11), ("Pacific/Kiritimati", "2026-11-22", 1), ("Etc/GMT+12", "2026-11-20", 23),
            ("Asia/Kolkata", "2026-11-21", 17),
            ("Asia/Kathmandu", "2026-11-21", 17), ("America/St_Johns", "2026-11-21", 8),
        ] {
            let found = FoodMoment(moment, in: try self.zone(zone))
            #expect(found.day.description == day && found.hour == hour && found.timeZone == zone && found.date == moment)
        }
    }

    @Test func `days and hours also advance before 1970`() {
        for (seconds, number, hour) in [(-1.0, -1, 23), (-86_400, -1, 0), (-86_401, -2, 23), (0, 0, 0)] {
            let moment = FoodMoment(Date(timeIntervalSince1970: seconds), in: .gmt)
            #expect(moment.day.number == number && moment.hour == hour)
        }
    }

    @Test func `an hour that occurs twice has twice the count, and a skipped one has none`() throws {
        let berlin = try zone("Europe/Berlin")
        let autumn = try #require(FoodDay("2026-10-25")).start(in: berlin)
        #expect((0..<5).map { FoodMoment(autumn.addingTimeInterval(Double($0) * 3600), in: berlin).hour } == [0, 1, 2, 2, 3])
        let spring = try #require(FoodDay("2026-03-29")).start(in: berlin)
        #expect((0..<4).map { FoodMoment(spring.addingTimeInterval(Double($0) * 3600), in: berlin).hour } == [0, 1, 3, 4])
        let sao = try zone("America/Sao_Paulo")
        #expect(FoodMoment(try #require(FoodDay("2018-11-04")).start(in: sao), in: sao).hour == 1)
    }

    @Test func `a traveller's breakfast keeps its day and hour after the flight home`() throws {
        let date = try date("2026-11-20T22:30:00Z")
        let breakfast = FoodMoment(date, in: try zone("Asia/Tokyo"))
        #expect(breakfast.day.description == "2026-11-21" && breakfast.hour == 7)
        let atHome = FoodMoment(date, in: try zone("Europe/Berlin"))
        #expect(atHome.day.description == "2026-11-20" && atHome != breakfast && atHome.date == breakfast.date)
    }

    @Test func `a moment is kept to the millisecond, and recreating it from itself changes nothing`() throws {
        var milliseconds: Int64 = -62_135_596_799_999
        while milliseconds < 253_402_300_000_000 {
            let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
            let moment = FoodMoment(date, in: .gmt)
            guard moment.milliseconds == milliseconds, FoodMoment(moment.date, in: .gmt) == moment else {
                Issue.record("\(milliseconds) became \(moment.milliseconds)")
                return
            }
            milliseconds += 15_768_000_123_457 / 1000
        }
        #expect(FoodMoment(Date(timeIntervalSince1970: 1.000_9), in: .gmt).milliseconds == 1_000)
        #expect(FoodMoment(Date(timeIntervalSince1970: -0.000_5), in: .gmt).milliseconds == -1)
        // The last moment of a day still belongs to that day.
        let late = FoodMoment(Date(timeIntervalSince1970: 86_399.999_7), in: .gmt)
        #expect(late.day == FoodDay(number: 0) && late.hour == 23 && late.milliseconds == 86_399_999)
    }

    @Test func `a date beyond all days is clamped to the ends`() throws {
        let (first, last) = (FoodDay.range.lowerBound, FoodDay.range.upperBound)
        for seconds in [-1e300, -1e15, -.infinity] {
            let moment = FoodMoment(Date(timeIntervalSince1970: seconds), in: .gmt)
            #expect(moment.day == first && moment.hour == 0 && moment.date == first.start(in: .gmt))
        }
        for seconds in [1e15, 1e300, .infinity] {
            let moment = FoodMoment(Date(timeIntervalSince1970: seconds), in: .gmt)
            #expect(moment.day == last && moment.hour == 23)
            #expect(FoodMoment(moment.date, in: .gmt) == moment)
        }
        let evening = try date("9999-12-31T18:30:00Z")
        #expect(FoodMoment(evening, in: .gmt).date == evening && FoodMoment(evening, in: .gmt).hour == 18)
        #expect(FoodMoment(.distantPast, in: .gmt).day.year == 1 && FoodMoment(.distantFuture, in: .gmt).day.year == 4001)
        for seconds in [-Double.infinity, -1e300, 1e300, .infinity] {
            for identifier in ["GMT", "Pacific/Kiritimati", "Etc/GMT+12"] {
                let moment = FoodMoment(Date(timeIntervalSince1970: seconds), in: try zone(identifier))
                #expect(FoodDay.range.contains(moment.day) && (0..<24).contains(moment.hour))
                #expect(FoodDay.range.contains(FoodDay(Date(timeIntervalSince1970: seconds), in: try zone(identifier))))
            }
        }
        #expect(
            FoodDay(Date(timeIntervalSince1970: -1e300), in: .gmt) == first && FoodDay(Date(timeIntervalSince1970: 1e300), in: .gmt) == last
        )
    }

    @Test func `a NaN date has no day, and nothing made from it traps`() throws {
        for identifier in ["GMT", "Pacific/Kiritimati", "Etc/GMT+12"] {
            let zone = try zone(identifier)
            let day = FoodDay(Date(timeIntervalSince1970: .nan), in: zone)
            #expect(!FoodDay.range.contains(day) && day == FoodDay(Date(timeIntervalSince1970: -.nan), in: zone))
            #expect(day.description == "0000-12-31" && FoodDay(day.description) == nil && FoodDay(compact: day.compact) == nil)
            // Values made from it are not days either, so they are refused. It comes before all others, so a range of days does not trap.
            #expect(day < FoodDay.range.lowerBound && day.advanced(by: 0) == day && day.advanced(by: -6) == day)
            #expect(day.advanced(by: 1) == FoodDay.range.lowerBound && day.advanced(by: .min) == day)
            #expect(day.week(startingOn: .monday) == day...day && FoodMonth(day).days == day...day)
            #expect(day.start(in: zone).timeIntervalSince1970.isFinite && day.length(in: zone) >= .zero)
            #expect((day...FoodDay.range.upperBound).count == FoodDay.range.count + 1 && day.weekday == .sunday)
        }
    }

    @Test func `a moment without a valid date can't be decoded`() throws {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        let json = Data(#"{"date": "nan", "timeZone": "GMT", "day": "2026-11-21", "hour": 12}"#.utf8)
        #expect(message { try decoder.decode(FoodMoment.self, from: json) } == "The date is not a number.")
        let late = Data(#"{"date": 0, "timeZone": "GMT", "day": "1970-01-01", "hour": 24}"#.utf8)
        #expect(message { try decoder.decode(FoodMoment.self, from: late) } == "24 is not an hour of a day.")
    }

    private func message(_ decode: () throws -> FoodMoment) -> String? {
        let error = #expect(throws: DecodingError.self) { try decode() }
        guard case .dataCorrupted(let context) = error else { return nil }
        return context.debugDescription
    }

    @Test(arguments: [
        (0.0, 24, false), (0, -1, false), (0, 23, true), (1e300, 0, true), (-1e300, 12, true),
    ])
    func `a moment written by other software must be one that a clock can show`(_ date: Double, _ hour: Int, _ isRead: Bool) throws {
        let json = Data("{\"date\": \(date), \"timeZone\": \"Nowhere/At all\", \"day\": \"2026-11-21\", \"hour\": \(hour)}".utf8)
        let moment = try? JSONDecoder().decode(FoodMoment.self, from: json)
        #expect((moment != nil) == isRead)
        guard let moment else { return }
        #expect(moment.hour == hour && moment.timeZone == "Nowhere/At all" && moment.day == FoodDay("2026-11-21"))
        #expect(abs(moment.milliseconds) < 1_000_000_000_000_000)
        #expect(try JSONDecoder().decode(FoodMoment.self, from: JSONEncoder().encode(moment)) == moment)
    }
}
