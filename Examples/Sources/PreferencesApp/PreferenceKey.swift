/// A preference: its name, the type of its value, and its default.
struct PreferenceKey<Value: Codable & Sendable>: Hashable, Sendable {
    let name: String
    let defaultValue: Value

    init(_ name: String, default defaultValue: Value) { (self.name, self.defaultValue) = (name, defaultValue) }

    // Compares only names, so values need not be Hashable.
    static func == (left: Self, right: Self) -> Bool { left.name == right.name }

    func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension PreferenceKey where Value == Bool {
    static var amoled: Self { Self("amoled", default: false) }
}

extension PreferenceKey where Value == Accent {
    static var accent: Self { Self("accent", default: .blue) }
}

extension PreferenceKey where Value == Int {
    static var textSize: Self { Self("textSize", default: 14) }
}

enum Accent: String, Codable, CaseIterable {
    case blue, green, orange
}
