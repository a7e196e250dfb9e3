/// A month as a calendar: a row per week, with the number and the heat of each day.
package struct MonthGrid: Sendable {
    package struct Day: Sendable {
        let number: Int
        let value: Double?
        let isMarked: Bool

        /// - Parameter isMarked: True for today.
        package init(_ number: Int, value: Double?, isMarked: Bool = false) {
            self.number = number
            self.value = value
            self.isMarked = isMarked
        }
    }

    private let days: [Day]
    private let leadingBlanks: Int
    private let weekdays: [String]
    private let average: String

    /// - Parameters:
    ///   - leadingBlanks: The number of days in the first week that belong to the month before.
    ///   - weekdays: Seven names, beginning with the first day of the week.
    ///   - average: The title of the weekly averages, which are shown if there is space.
    package init(_ days: [Day], leadingBlanks: Int, weekdays: [String], average: String = "Average") {
        self.days = days
        self.leadingBlanks = leadingBlanks
        self.weekdays = weekdays
        self.average = average
    }

    package func lines(width: Int) -> [Line] {
        let side = width >= 5 * 7 + 9 ? 9 : 0
        let cell = min(max((width - side) / 7, 5), 9)
        let heat = Heat(of: days.compactMap(\.value))
        let slots: [Day?] = Array(repeating: nil, count: leadingBlanks) + days
        let weeks = stride(from: 0, to: slots.count, by: 7).map { Array(slots[$0..<min($0 + 7, slots.count)]) }

        var head = Line(weekdays.map { Line($0, .faint).fitted(to: cell - 1, .right) + " " })
        if side > 0 { head += Line(average, .faint).fitted(to: side, .right) }
        var lines = [head.withoutTrailingSpace()]
        for week in weeks {
            var above = Line()
            var below = Line()
            for slot in week {
                above += (slot.map { top($0, heat, cell - 1) } ?? .space(cell - 1)) + " "
                below += (slot.map { bottom($0, cell - 1) } ?? .space(cell - 1)) + " "
            }
            let values = week.compactMap { $0?.value }
            if side > 0, !values.isEmpty {
                let average = Number.whole(values.reduce(0, +) / Double(values.count))
                below = below.padded(to: cell * 7) + Line(average, .faint).padded(to: side, .right)
            }
            lines += [above.withoutTrailingSpace(), below.withoutTrailingSpace()]
        }
        while lines.last?.text.isEmpty == true { lines.removeLast() }
        return lines
    }

    /// The number of the day, with its value as a shade. A block character shows it, too, for terminals without colors.
    private func top(_ day: Day, _ heat: Heat, _ width: Int) -> Line {
        let number = Line("\(day.number)", day.isMarked ? .title : .faint)
        let mark: Line = day.isMarked ? "›" : " "
        let label = (mark + number).padded(to: 3, .right)
        guard let value = day.value else { return label.padded(to: width) }
        let level = heat.level(of: value)
        let shade = Line(String(repeating: ["·", "░", "▒", "▓", "█"][level], count: max(1, width - 3)), .heat(level))
        return (label + shade).padded(to: width)
    }

    private func bottom(_ day: Day, _ width: Int) -> Line {
        guard let value = day.value else { return .space(width) }
        return Line(Number.whole(value).count <= width ? Number.whole(value) : "\(Int(value.rounded()))").fitted(to: width, .right)
    }
}
