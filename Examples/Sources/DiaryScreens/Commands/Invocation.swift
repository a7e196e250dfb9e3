package import Terminal

/// One invocation of the program: the command, the diary, and the format of the output.
package struct Invocation: Sendable {
    package let command: DiaryCommand
    package let database: String?
    package let isJSON: Bool
    package let color: Console.ColorChoice

    package init(_ words: Arguments) throws {
        command = try DiaryCommand(words)
        database = words[DiaryOptions.database]
        isJSON = words[DiaryOptions.json]
        color = words[DiaryOptions.color] ?? .auto
    }
}
