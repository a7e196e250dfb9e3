import FoodDiaryKit

/// A meal: when people eat it, and what they prefer then.
struct SampleMeal {
    /// The share of entries for this meal, in percent.
    let share: Int
    /// The usual minute of the day, from Monday to Friday and at weekends.
    let minute: Int
    let weekendMinute: Int
    /// The maximum deviation in minutes.
    let spread: Int
    /// The weight of each category at this meal; 1 for categories that are not listed.
    let taste: [IngredientCategory: Int]

    static let all = [
        SampleMeal(
            share: 26,
            minute: 7 * 60 + 20,
            weekendMinute: 9 * 60 + 30,
            spread: 100,
            taste: [.grain: 12, .dairy: 9, .egg: 6, .fruit: 7, .drink: 9, .sweet: 4, .nut: 3, .fat: 3, .dish: 0, .spice: 0, .vegetable: 1]
        ),
        SampleMeal(
            share: 9,
            minute: 10 * 60 + 30,
            weekendMinute: 11 * 60 + 15,
            spread: 60,
            taste: [.fruit: 10, .drink: 9, .sweet: 5, .nut: 4, .dairy: 3, .dish: 0, .spice: 0, .meat: 0, .fish: 0, .fat: 0]
        ),
        SampleMeal(
            share: 26,
            minute: 12 * 60 + 40,
            weekendMinute: 13 * 60 + 20,
            spread: 90,
            taste: [.dish: 10, .vegetable: 9, .meat: 7, .grain: 6, .fish: 4, .legume: 4, .drink: 5, .fat: 3, .spice: 2]
        ),
        SampleMeal(
            share: 11,
            minute: 16 * 60,
            weekendMinute: 15 * 60 + 30,
            spread: 80,
            taste: [.sweet: 10, .drink: 8, .fruit: 7, .nut: 4, .dairy: 3, .dish: 0, .spice: 0, .meat: 0, .fish: 0, .fat: 0]
        ),
        SampleMeal(
            share: 23,
            minute: 19 * 60 + 10,
            weekendMinute: 19 * 60 + 40,
            spread: 120,
            taste: [.dish: 7, .vegetable: 9, .grain: 9, .meat: 6, .dairy: 6, .fish: 4, .legume: 4, .drink: 5, .fat: 4, .egg: 3, .spice: 2]
        ),
        SampleMeal(
            share: 5,
            minute: 21 * 60 + 40,
            weekendMinute: 22 * 60 + 10,
            spread: 100,
            taste: [.sweet: 8, .drink: 9, .nut: 5, .fruit: 4, .dairy: 2, .dish: 1, .spice: 0, .fat: 0, .vegetable: 0]
        ),
    ]

    /// Draws the meal of an entry.
    static func draw(_ random: inout SampleRandom) -> Int {
        var rest = random.below(100)
        for (index, meal) in all.enumerated() {
            if rest < meal.share { return index }
            rest -= meal.share
        }
        return 0
    }

    /// Draws the second of the day. There are no meals between midnight and five o'clock, when clocks are changed.
    func second(onWeekend weekend: Bool, _ random: inout SampleRandom) -> Int {
        let middle = (weekend ? weekendMinute : minute) * 60
        return min(random.aroundMiddle(of: middle - spread * 60...middle + spread * 60), 86_399)
    }
}

enum SampleSeason: Int, CaseIterable {
    case winter, spring, summer, autumn

    init(month: Int) { self = [.winter, .spring, .summer, .autumn][month % 12 / 3] }

    /// The weight of a food in each season; 4 is the average.
    static func appetites(for name: String) -> [Int] {
        let name = name.lowercased()
        if ofSummer.contains(where: name.contains) { return [1, 4, 12, 3] }
        if ofWinter.contains(where: name.contains) { return [12, 4, 1, 6] }
        return [4, 4, 4, 4]
    }

    private static let ofSummer = [
        "berry", "cherry", "melon", "peach", "nectarine", "apricot", "plum", "ice cream", "iced", "salad", "gazpacho", "tomato", "cucumber",
        "courgette",
        "sorbet", "lemonade", "sweetcorn", "summer",
    ]
    private static let ofWinter = [
        "soup", "stew", "goulash", "mandarin", "orange", "cabbage", "kale", "sprout", "gingerbread", "stollen", "pumpkin", "chestnut",
        "hot ", "fondue",
        "raclette", "goose", "parsnip", "porridge",
    ]
}
