/// What is wrong with how a pattern is written.
enum PatternFlaw: Equatable {
    /// `trips//all`
    case emptyElement
    /// `trips/`
    case slashAtEnd
    /// `trips\`
    case backslashAtEnd
    /// `tri*`, with the element.
    case starInWord(String)
    /// The text `"**"` in an array, with the element.
    case starAsText(String)
}

extension QueryPattern {
    /// What is wrong with how the pattern is written, if something is.
    ///
    /// - Parameter hasMatches: Whether it matches a path. Then a star that stands for itself was meant.
    func flaw(hasMatches: Bool) -> PatternFlaw? {
        if let text, let flaw = PatternFlaw(slashesOf: text, endsWithRest: elements.last == .rest) { return flaw }
        if hasMatches { return nil }
        let words = elements.lazy.compactMap { if case .literal(let element) = $0.storage { element.text } else { nil } }
        if text != nil { return words.first { $0.contains("*") }.map { .starInWord($0) } }
        return words.first { $0 == "*" || $0 == "**" }.map { .starAsText($0) }
    }

    /// The pattern as it was written, or as it would be.
    var writtenText: String { text ?? description }
}

extension PatternFlaw {
    /// Looks for slashes and backslashes that are left out. A slash at the beginning is left out of paths too, so it does no harm.
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

    /// What the flaw does, and what to write instead.
    func message(_ pattern: QueryPattern) -> String {
        let text = pattern.writtenText
        switch self {
        case .emptyElement:
            return """
                The pattern "\(text)" has an empty element, which is left out. Write "\(pattern)", or "*" where any element may be. An \
                element that is empty text can only be written in an array: ["trips", "", .rest].
                """
        case .slashAtEnd where pattern.elements.isEmpty:
            return #"The pattern "\#(text)" names only the path without elements. Write .all, or "**", for all paths."#
        case .slashAtEnd:
            return """
                The pattern "\(text)" ends with a slash, which is left out, so it matches nothing below "\(pattern)". Write \
                "\(pattern)/**" for all below it and itself, or "\(pattern)" for itself.
                """
        case .backslashAtEnd:
            return #"The pattern "\#(text)" ends with a backslash, which is left out. Write two for one that belongs to the element."#
        case .starInWord(let word):
            return """
                The pattern "\(text)" matches nothing: a star is a wildcard only as a whole element, "*" for one and "**" for any number, \
                and "\(word)" stands for itself. Write "*" in its place, or one pattern for each word.
                """
        case .starAsText(let word):
            return """
                The pattern "\(text)", made of an array, matches nothing: in an array the text "\(word)" stands for itself. Write \
                \(word == "*" ? ".any" : ".rest") in its place.
                """
        }
    }
}
