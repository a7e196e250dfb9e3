/// An argument that the demo does not know; its description is one sentence that names the nearest one it does.
package struct UsageError: Error, Equatable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ argument: String, parts: [String]) {
        let isOption = argument.hasPrefix("-")
        let nearest = Spelling.nearest(to: argument, among: parts + ["--help", "--list"])
        let kind = isOption ? "option" : "part"
        description =
            if let nearest {
                "There is no \(kind) \"\(argument)\"; did you mean: querykit-demo \(nearest)"
            } else {
                "There is no \(kind) \"\(argument)\"; to see what there is: querykit-demo --list"
            }
    }
}
