import Foundation

/// An entry in JSON.
struct ExchangedEntry: Decodable {
    let date: String
    let timeZone: String?
    let name: String
    let ingredient: String?
    let grams: Double
    let nutrients: Nutrients
    let confidence: Double?

    private enum CodingKeys: String, CodingKey {
        case date, name, ingredient, grams, nutrients, confidence
        case timeZone = "time_zone"
    }
}

extension FoodEntry.Draft: ExchangedDraft {
    typealias Object = ExchangedEntry

    static let columns =
        [
            ExchangeColumn(name: "date", isRequired: true), ExchangeColumn(name: "time_zone"),
            ExchangeColumn(name: "name", isRequired: true),
            ExchangeColumn(name: "ingredient"), ExchangeColumn(name: "grams", isRequired: true),
        ] + ExchangeColumn.nutrients + [ExchangeColumn(name: "confidence")]

    init(_ row: ExchangeRow, _ zones: KnownTimeZones) throws {
        self.init(
            name: try row.text(2),
            food: Self.food(try row.text(3)),
            grams: try row.required(4),
            nutrients: try row.nutrients(from: 5),
            at: try zones.moment(try row.text(0), in: try row.text(1)),
            confidence: try row.number(12) ?? 1
        )
    }

    init(_ object: ExchangedEntry, _ zones: KnownTimeZones) throws {
        self.init(
            name: object.name,
            food: Self.food(object.ingredient ?? ""),
            grams: object.grams,
            nutrients: object.nutrients,
            at: try zones.moment(object.date, in: object.timeZone ?? ""),
            confidence: object.confidence ?? 1
        )
    }

    private static func food(_ ingredient: String) -> Food { ingredient.isEmpty ? .unlisted : .named(ingredient) }
}

/// The time zones that occur in a file, each looked up once.
final class KnownTimeZones {
    private var zones: [String: TimeZone] = [:]

    /// Parses a moment. Day and hour are those of the offset in the text; a text without an offset, which ends with `Z`, is converted to
    /// the time zone.
    func moment(_ date: String, in zone: String) throws -> FoodMoment {
        let text = try WallClockText(date)
        let name = zone.isEmpty ? text.zone : zone
        let timeZone = try known(name)
        guard !text.isUniversal else { return FoodMoment(text.date, in: timeZone) }
        return FoodMoment(milliseconds: text.milliseconds, timeZone: name, day: text.day, hour: text.hour)
    }

    private func known(_ name: String) throws -> TimeZone {
        if let zone = zones[name] { return zone }
        guard let zone = TimeZone(identifier: name) else {
            throw UnreadableValue(
                column: "time_zone",
                message: "'\(name.prefix(40))' is not a time zone: write a name such as Europe/Berlin."
            )
        }
        if zones.count < 1000 { zones[name] = zone }
        return zone
    }

    /// The offset of a zone from GMT at a moment; `nil` if the zone is unknown here.
    func offset(at moment: FoodMoment) -> Int? { (try? known(moment.timeZone))?.secondsFromGMT(for: moment.date) }
}

extension WallClockText {
    fileprivate var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// The name of a time zone with this fixed offset.
    fileprivate var zone: String { TimeZone(secondsFromGMT: offset)?.identifier ?? "GMT" }
}
