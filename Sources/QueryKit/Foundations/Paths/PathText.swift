/// The text format of paths: parts separated by slashes. Inside a part, a slash is written `\/` and a backslash `\\`.
///
/// The format is parsed by Unicode scalars, because a slash followed by a combining accent is a different `Character` than a slash, and
/// would not separate two parts.
enum PathText {
    static func parts(of text: String) -> [String] {
        var parts: [String] = []
        var part = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in text.unicodeScalars {
            if isEscaped {
                part.append(scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == "/" {
                if !part.isEmpty { parts.append(String(part)) }
                part = String.UnicodeScalarView()
            } else {
                part.append(scalar)
            }
        }
        if !part.isEmpty { parts.append(String(part)) }
        return parts
    }

    static func escaped(_ part: String) -> String {
        guard part.unicodeScalars.contains(where: { $0 == "/" || $0 == "\\" }) else { return part }
        var text = String.UnicodeScalarView()
        for scalar in part.unicodeScalars {
            if scalar == "/" || scalar == "\\" { text.append("\\") }
            text.append(scalar)
        }
        return String(text)
    }
}
