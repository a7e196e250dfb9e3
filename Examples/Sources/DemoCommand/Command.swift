/// What the words behind `querykit-demo` ask for.
package enum Command: Equatable, Sendable {
    case help
    case list

    /// The parts with these names, in this order.
    case run([String])

    /// Reads the arguments. Without any, all parts run; a part that is named twice runs once.
    package init(_ arguments: [String], parts: [String]) throws(UsageError) {
        var wantsHelp = false
        var wantsList = false
        var chosen: [String] = []
        for argument in arguments {
            switch argument {
            case "--help", "-h": wantsHelp = true
            case "--list": wantsList = true
            case let name where parts.contains(name):
                if !chosen.contains(name) { chosen.append(name) }
            default: throw UsageError(argument, parts: parts)
            }
        }
        self = wantsHelp ? .help : wantsList ? .list : .run(chosen.isEmpty ? parts : chosen)
    }
}
