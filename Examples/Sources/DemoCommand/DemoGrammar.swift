import DemoActs
import Terminal

/// The command line of the demo.
enum DemoGrammar {
    static let act = Option("act", short: "a", Value<Int>.whole(in: 1...Act.all.count, sample: 3), "Plays only this act.")
    static let plain = Flag("plain", "Writes text without waiting, as if the output were no terminal.")
    static let inspect = Flag(
        "inspect",
        "Also opens a page for a browser on this machine, which shows each query, run and change of the acts. Prints its address to "
            + "standard error."
    )
    static let file = Value<String>.file(meaning: "the file of a packing list", sample: "packing.sqlite")
    static let item = Value<String>.text("ITEM", meaning: "an item", sample: "Raincoat")

    static let grammar = Grammar(
        program: "querykit-demo",
        summary: "Shows what QueryKit does, in \(Act.all.count) acts of a few seconds, each beside the code that runs.",
        commands: [
            CommandForm(
                "play",
                "Plays the acts. This is the default.",
                details: [
                    "Keys: space pauses and continues, the arrows → and ← change the act, ↓ goes on to the next change, r replays the act, "
                        + "q quits.",
                    "Without a terminal, and with --plain, each act is written as text: its code, and what its screens have shown.",
                    "The page of --inspect shows values and allows actions, because all data is made up. It ends with the demo.",
                ],
                options: [act.form, plain.form, inspect.form],
                samples: ["play", "play --act 3", "play --plain", "play --inspect"]
            ),
            CommandForm(
                "pack",
                "Adds an item to a packing list. Act 3 runs it as another process.",
                operands: [Operand(file, "The file of the list; created if there is none."), Operand(item, "What to add.")],
                samples: ["pack packing.sqlite Raincoat"]
            ),
        ],
        common: [],
        notes: ["The web API is a fake in this process. The databases are real files in a temporary folder, which is removed at the end."]
    )

    /// Parses the arguments. `play` may be left out.
    static func read(_ words: [String]) throws(UsageError) -> Grammar.Wish {
        let namesCommand = words.first.map { !$0.hasPrefix("-") } ?? false
        let wantsHelp = words.first.map { ["-h", "--help"].contains($0) } ?? false
        return try grammar.read(namesCommand || wantsHelp ? words : ["play"] + words)
    }
}
