import Foundation

/// The command line of one invocation.
struct Invocation: Equatable {
    enum Command: Equatable {
        case help
        case list
        case set(PreferencesFeature.Action)
        case token
        case status
    }

    static let help = """
        preferences keeps settings in a file that several processes may share.

          preferences list               shows all preferences
          preferences set NAME VALUE     changes one: amoled on|off, accent blue|green|orange, textSize 8-32,
                                         server URL, timeout SECONDS
          preferences token              saves the token that it reads from standard input
          preferences status             asks the server of the settings how it is
          preferences --help             shows this text

        --file FILE before the command names the file; without it, it is preferences.sqlite in this folder.
        --profile NAME after that names a profile, which has its own preferences and token.
        """

    var command: Command
    var file = URL(fileURLWithPath: "preferences.sqlite")
    var profile: Profile?

    init(_ words: [String]) throws {
        var words = words[...]
        if words.first == "--file" {
            guard words.count > 1 else { throw UsageError("--file needs a file, such as: preferences --file app.sqlite list") }
            file = URL(fileURLWithPath: words[words.startIndex + 1])
            words = words.dropFirst(2)
        }
        if words.first == "--profile" {
            guard words.count > 1 else { throw UsageError("--profile needs a name, such as: preferences --profile work list") }
            profile = try Profile(named: words[words.startIndex + 1])
            words = words.dropFirst(2)
        }
        switch (words.first, words.count) {
        case ("--help", 1), ("-h", 1), (nil, _): command = .help
        case ("list", 1): command = .list
        case ("token", 1): command = .token
        case ("status", 1): command = .status
        case ("set", 3): command = .set(try Self.action(words[words.startIndex + 1], words[words.startIndex + 2]))
        case ("set", _): throw UsageError("set needs a name and a value, such as: preferences set amoled on")
        case (let word?, _) where ["list", "token", "status"].contains(word):
            throw UsageError("\(word) takes nothing else: preferences \(word)")
        case (let word?, _): throw UsageError("There is no command \"\(word)\"; for help: preferences --help")
        }
    }

    private static func action(_ name: String, _ value: String) throws -> PreferencesFeature.Action {
        switch name {
        case "amoled":
            guard let isOn = ["on": true, "off": false][value] else { throw wrong(value, "on or off", "amoled on") }
            return .amoledSet(isOn)
        case "accent":
            guard let accent = Accent(rawValue: value) else { throw wrong(value, "blue, green or orange", "accent green") }
            return .accentChosen(accent)
        case "textSize":
            guard let size = Int(value), 8...32 ~= size else { throw wrong(value, "a number from 8 to 32", "textSize 16") }
            return .textSizeChanged(size)
        case "server":
            return .serverSet(try ServiceConfiguration(server: value, timeout: 1).server.absoluteString)
        case "timeout":
            guard let seconds = Int(value), 1...300 ~= seconds else { throw wrong(value, "a number from 1 to 300", "timeout 10") }
            return .timeoutSet(seconds)
        default:
            throw UsageError("There is no preference \"\(name)\"; the preferences are amoled, accent, textSize, server and timeout.")
        }
    }

    private static func wrong(_ value: String, _ meaning: String, _ sample: String) -> UsageError {
        UsageError("\"\(value)\" is not \(meaning), such as: preferences set \(sample)")
    }
}

/// An invalid command line.
struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
