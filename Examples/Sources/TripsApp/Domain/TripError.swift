/// The reason why a change was refused, as text for the user.
package enum TripError: Error, Hashable, CustomStringConvertible {
    case noName
    case notADay(String)
    case length(Int)
    case nameTaken(String)
    case gone(String)

    package var description: String {
        switch self {
        case .noName: "A trip needs a name."
        case .notADay(let text): "\"\(text)\" is not a day. Write it as 2026-12-01."
        case .length(let days): "A trip takes 1 to 1000 days, not \(days)."
        case .nameTaken(let name): "There already is a trip named \"\(name)\"."
        case .gone(let name): "There is no trip named \"\(name)\"."
        }
    }
}
