/// How a path is written as text: parts between slashes, with `\/` and `\\` for those characters inside a part.
enum PathText {
    static func parts(of text: String) -> [String] {
        var parts: [String] = []
        var part = ""
        var isEscaped = false
        for character in text {
            if isEscaped {
                part.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "/" {
                if !part.isEmpty { parts.append(part) }
                part = ""
            } else {
                part.append(character)
            }
        }
        if !part.isEmpty { parts.append(part) }
        return parts
    }

    static func escaped(_ part: String) -> String {
        guard part.contains(where: { $0 == "/" || $0 == "\\" }) else { return part }
        return part.reduce(into: "") { text, character in
            if character == "/" || character == "\\" { text.append("\\") }
            text.append(character)
        }
    }
}
