/// Parses an argument as a value, and describes what is expected.
package struct Value<Content: Sendable>: Sendable {
    package let form: ValueForm
    package let read: @Sendable (String) -> Content?

    /// - Parameters:
    ///   - placeholder: The name of the value in a help text, such as `DAY`.
    ///   - meaning: A description that can end a sentence: `a day such as 2026-11-21`.
    ///   - sample: A valid value.
    package init(
        _ placeholder: String,
        meaning: String,
        sample: String,
        completion: ValueForm.Completion = .none,
        read: @escaping @Sendable (String) -> Content?
    ) {
        self.read = read
        form = ValueForm(placeholder: placeholder, meaning: meaning, sample: sample, completion: completion) { read($0) != nil }
    }
}

/// A value without its type.
package struct ValueForm: Sendable {
    /// What a shell can offer as a completion.
    package enum Completion: Hashable, Sendable {
        case none
        case words([String])
        case files
    }

    let placeholder: String
    let meaning: String
    let sample: String
    let completion: Completion
    let accepts: @Sendable (String) -> Bool
}

extension Value<String> {
    package static func text(_ placeholder: String, meaning: String, sample: String) -> Value {
        Value(placeholder, meaning: meaning, sample: sample) { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
    }

    package static func file(_ placeholder: String = "FILE", meaning: String = "a file", sample: String) -> Value {
        Value(placeholder, meaning: meaning, sample: sample, completion: .files) { $0.isEmpty ? nil : $0 }
    }
}

extension Value<Int> {
    package static func whole(_ placeholder: String = "N", in range: ClosedRange<Int>, sample: Int) -> Value {
        Value(placeholder, meaning: "a whole number from \(range.lowerBound) to \(range.upperBound)", sample: "\(sample)") { word in
            Int(word).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension Value<Double> {
    package static func number(_ placeholder: String = "N", in range: ClosedRange<Double>, sample: String) -> Value {
        let limits = "\(Number.short(range.lowerBound, digits: 2)) to \(Number.short(range.upperBound, digits: 2))"
        return Value(placeholder, meaning: "a number from \(limits)", sample: sample) { word in
            Double(word).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension Value where Content: RawRepresentable & CaseIterable, Content.RawValue == String {
    /// One of several words.
    package static func choice(_ placeholder: String, _ type: Content.Type = Content.self) -> Value {
        let words = type.allCases.map(\.rawValue)
        return Value(placeholder, meaning: words.listed, sample: words.first ?? "", completion: .words(words)) { Content(rawValue: $0) }
    }
}

extension [String] {
    /// The words as a list in a sentence: `always, auto or never`.
    var listed: String {
        guard count > 1, let last else { return first ?? "" }
        return dropLast().joined(separator: ", ") + " or " + last
    }
}
