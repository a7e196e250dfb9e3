/// A mistake in the notation of a pattern.
enum PatternMistake: Equatable {
    /// `trips//all`
    case emptyElement
    /// `trips/`
    case slashAtEnd
    /// `trips\`
    case backslashAtEnd
    /// `tri*`; the payload is the element.
    case starInWord(String)
    /// The text `"**"` in an array; the payload is the element.
    case starAsText(String)
}

extension QueryPattern {
    /// The mistake in the notation of the pattern, if there is one.
    ///
    /// - Parameter hasMatches: Whether the pattern matches a path. If it does, a literal star was intended.
    func mistake(hasMatches: Bool) -> PatternMistake? {
        if let text, let mistake = PatternMistake(slashesOf: text, endsWithRest: elements.last == .rest) { return mistake }
        if hasMatches { return nil }
        let words = elements.lazy.compactMap { if case .literal(let element) = $0.storage { element.text } else { nil } }
        if text != nil { return words.first { $0.contains("*") }.map { .starInWord($0) } }
        return words.first { $0 == "*" || $0 == "**" }.map { .starAsText($0) }
    }

    /// The pattern as it was written; if it wasn't written as text, its description.
    var writtenText: String { text ?? description }
}

extension PatternMistake {
    /// Searches for slashes and backslashes that are ignored. A slash at the beginning is ignored in paths too, so it isn't a mistake.
    fileprivate init?(slashesOf text: String, endsWithRest: Bool) {
        var isEscaped = false
        var isInElement = false
        var count = 0
        for scalar in text.unicodeScalars {
            if !isEscaped, scalar == "/" {
                if !isInElement, count > 0 {
                    self = .emptyElement
                    return
                }
                isInElement = false
            } else if !isEscaped, scalar == "\\" {
                isEscaped = true
                count += 1
                continue
            } else {
                isInElement = true
            }
            isEscaped = false
            count += 1
        }
        if isEscaped {
            self = .backslashAtEnd
        } else if count > 0, !isInElement, !endsWithRest {
            self = .slashAtEnd
        } else {
            return nil
        }
    }

    /// A message that explains the effect of the mistake, and what to write instead.
    func message(_ pattern: QueryPattern) -> String {
        let text = pattern.writtenText
        switch self {
        case .emptyElement:
            return """
                The pattern "\(text)" has an empty element, which is ignored. Write "\(pattern)", or "*" to match any element there. An \
                element that is an empty text is possible only in an array: ["trips", "", .rest].
                """
        case .slashAtEnd where pattern.elements.isEmpty:
            return #"The pattern "\#(text)" matches only the root, the path without elements. Write .all or "**" to match all paths."#
        case .slashAtEnd:
            return """
                The pattern "\(text)" ends with a slash, which is ignored, so it matches no paths below "\(pattern)". Write \
                "\(pattern)/**" to match it and all paths below it, or "\(pattern)" to match only it.
                """
        case .backslashAtEnd:
            return #"The pattern "\#(text)" ends with a backslash, which is ignored. Write two backslashes if the element ends with one."#
        case .starInWord(let word):
            return """
                The pattern "\(text)" matches nothing. A star is a wildcard only as a whole element: "*" for one, "**" for any number. \
                The element "\(word)" matches only itself. Write "*" in its place, or one pattern for each word.
                """
        case .starAsText(let word):
            return """
                The pattern "\(text)" was written as an array and matches nothing. In an array, "\(word)" is not a wildcard. Write \
                \(word == "*" ? ".any" : ".rest") in its place.
                """
        }
    }
}
