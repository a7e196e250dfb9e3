import Foundation
import SQLiteTestSupport
import Testing

@testable import FoodDiaryKit
@testable import FoodDiarySQLite
@testable import QueryKitSQLite

struct FoodDayTests {
    /// A day that must exist.
    private func day(_ text: String) throws -> FoodDay { try #require(FoodDay(text), "\(text)") }

    @Test func `days follow each other through centuries, leap years and weeks`() throws {
        var day = try day("1599-12-31")
        var (year, month, dayOfMonth, weekday) = (1599, 12, 31, 5)
        let last = try self.day("2401-01-02")
        while day < last {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            dayOfMonth += 1
            if dayOfMonth > lengths[month - 1] { (month, dayOfMonth) = (month + 1, 1) }
            if month > 12 { (year, month) = (year + 1, 1) }
            weekday = weekday % 7 + 1
            day = day.advanced(by: 1)
            guard (day.year, day.month, day.dayOfMonth, day.weekday.rawValue) == (year, month, dayOfMonth, weekday),
                FoodDay(year: year, month: month, day: dayOfMonth) == day
            else {
                Issue.record("\(day) is not \(year)-\(month)-\(dayOfMonth)")
                return
            }
        }
    }

    @Test func `every day is read as it was written, from the first to the last`() {
        let numbers = Array(stride(from: FoodDay.range.lowerBound.number, through: FoodDay.range.upperBound.number, by: 97))
        for number in numbers + [FoodDay.range.upperBound.number] {
            let day = FoodDay(number: number)
            guard FoodDay(day.description) == day, day.description.utf8.count == 10 else {
                Issue.record("\(number) is written as \(day)")
                return
            }
        }
        #expect(FoodDay.range.lowerBound.description == "0001-01-01" && FoodDay.range.upperBound.description == "9999-12-31")
        #expect(FoodDay(number: 0).description == "1970-01-01" && FoodDay(number: -1).description == "1969-12-31")
    }

    @Test(arguments: [
        "", "2026", "2026-11", "2026-11-", "2026-11-2", "2026-1-21", "26-11-21", "02026-11-21", "2026-11-021", "2026-11-21 ", " 2026-11-21",
        "2026-02-30", "2025-02-29", "1900-02-29", "2026-04-31", "2026-13-01", "2026-00-01", "2026-11-00", "2026-11-32", "0000-01-01",
        "-026-11-21", "+026-11-21", "2026-+1-21", "2026/11/21", "20261121", "2026-11-21T00:00", "２０２６-11-21", "2026-11-2\u{301}",
        "2026--11-21",
    ])
    func `a text that is not a day is not read`(_ text: String) { #expect(FoodDay(text) == nil) }

    @Test func `a date that does not exist is not a day`() {
        #expect(FoodDay(year: 2024, month: 2, day: 29)?.description == "2024-02-29")
        #expect(FoodDay(year: 2000, month: 2, day: 29) != nil && FoodDay(year: 2100, month: 2, day: 29) == nil)
        for (year, month, day) in [(0, 1, 1), (10_000, 1, 1), (2026, 0, 1), (2026, 13, 1), (2026, 1, 0), (2026, 1, 32), (.min, .max, .min)]
        {
            #expect(FoodDay(year: year, month: month, day: day) == nil)
        }
    }

    @Test func `advancing stops at the first and the last day`() throws {
        let (first, last) = (FoodDay.range.lowerBound, FoodDay.range.upperBound)
        #expect(FoodDay(number: .min) == first && FoodDay(number: .max) == last)
        #expect(last.advanced(by: 1) == last && last.advanced(by: .max) == last && first.advanced(by: .min) == first)
        #expect(FoodDay(number: -5).advanced(by: .min) == first && FoodDay(number: 5).advanced(by: .max) == last)
        #expect(first.distance(to: last) == FoodDay.range.count - 1 && FoodDay.range.count == 3_652_059)
        let days = try day("2026-02-27")...day("2026-03-02")
        #expect(days.map(\.description) == ["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02"])
        #expect(Array(last.advanced(by: -1)...last).map(\.description) == ["9999-12-30", "9999-12-31"])
    }

    @Test(arguments: FoodWeekday.allCases) func `a week has seven days and begins on the given weekday`(_ first: FoodWeekday) throws {
        for offset in 0..<14 {
            let day = try day("2026-12-28").advanced(by: offset)
            let week = day.week(startingOn: first)
            #expect(week.count == 7 && week.contains(day) && week.lowerBound.weekday == first)
        }
    }

    @Test func `weeks begin on Monday or Sunday, even across the end of a year`() throws {
        let saturday = try day("2027-01-02")
        #expect(saturday.weekday == .saturday)
        #expect(saturday.week(startingOn: .monday) == (try day("2026-12-28")...day("2027-01-03")))
        #expect(saturday.week(startingOn: .sunday) == (try day("2026-12-27")...day("2027-01-02")))
        #expect(try day("2027-01-03").week(startingOn: .sunday).lowerBound == day("2027-01-03"))
        // Weeks at both ends of the calendar have only the days that exist.
        let (first, last) = (FoodDay.range.lowerBound, FoodDay.range.upperBound)
        #expect((first.weekday, last.weekday) == (.monday, .friday))
        #expect(first.week(startingOn: .sunday) == first...first.advanced(by: 5))
        #expect(last.week(startingOn: .monday) == last.advanced(by: -4)...last)
    }

    @Test func `weeks begin on the first weekday of the calendar`() {
        var calendar = Calendar(identifier: .gregorian)
        let found = (1...7).map { first in
            calendar.firstWeekday = first
            return FoodWeekday(firstOf: calendar)
        }
        #expect(found == [.sunday, .monday, .tuesday, .wednesday, .thursday, .friday, .saturday])
    }

    @Test func `in a database a day is a number that people can read`() async throws {
        let database = try await SQLiteDatabase.make(.inMemory)
        for day in [FoodDay.range.lowerBound, try day("1969-12-31"), try day("2026-11-21"), FoodDay.range.upperBound] {
            let number = try #require(Int(day.description.split(separator: "-").joined()))
            #expect(day.sqliteValue == .integer(Int64(number)))
            let read = try await database.read { db in try db.value(FoodDay.self, "SELECT \(day)") }
            #expect(read == day)
        }
        for number in [0, -20_261_121, 20_261_131, 20_260_230, 120_261_121, .max] as [Int64] {
            await #expect(throws: SQLiteError.self) { try await database.read { db in try db.value(FoodDay.self, "SELECT \(number)") } }
        }
    }
}

struct FoodMonthTests {
    @Test func `a month contains its days, up to the last`() throws {
        for (text, count) in [
            ("2026-02", 28), ("2024-02", 29), ("2100-02", 28), ("2000-02", 29), ("2026-04", 30), ("2026-12", 31), ("9999-12", 31),
        ] {
            let month = try #require(FoodMonth(text))
            #expect(month.days.count == count && month.description == text)
            #expect(month.days.lowerBound.dayOfMonth == 1 && month.days.upperBound.dayOfMonth == count)
            #expect(FoodMonth(month.days.lowerBound) == month && FoodMonth(month.days.upperBound) == month)
        }
        #expect(FoodMonth(year: 1, month: 1)?.days.lowerBound == FoodDay.range.lowerBound)
        #expect(FoodMonth(year: 9999, month: 12)?.days.upperBound == FoodDay.range.upperBound)
    }

    @Test func `the days of all months follow each other`() throws {
        var month = try #require(FoodMonth(year: 1, month: 1))
        var next = FoodDay.range.lowerBound
        for _ in 0..<(12 * 9999) {
            guard month.days.lowerBound == next else {
                Issue.record("\(month)")
                return
            }
            next = month.days.upperBound.advanced(by: 1)
            month = month.advanced(by: 1)
        }
        #expect(month.description == "9999-12")
    }

    @Test func `months are counted across years and stop at the ends`() throws {
        let month = try #require(FoodMonth(year: 2026, month: 11))
        #expect(
            [-23, -11, -10, 0, 1, 2, 14].map { month.advanced(by: $0).description } == [
                "2024-12", "2025-12", "2026-01", "2026-11", "2026-12", "2027-01", "2028-01",
            ]
        )
        #expect(month.advanced(by: .max).description == "9999-12" && month.advanced(by: .min).description == "0001-01")
        #expect(month.advanced(by: -999_999).description == "0001-01" && month.advanced(by: 999_999).description == "9999-12")
        #expect(month < month.advanced(by: 2) && month.advanced(by: -11) < month)
    }

    @Test(arguments: ["", "2026", "2026-13", "2026-00", "2026-1", "2026-11-01", "0000-01", "x026-01", "2026-11-"])
    func `a text that is not a month is not read`(_ text: String) { #expect(FoodMonth(text) == nil) }

    @Test func `numbers out of range are not a month`() {
        for (year, month) in [(0, 1), (10_000, 1), (2026, 0), (2026, 13)] { #expect(FoodMonth(year: year, month: month) == nil) }
    }
}
