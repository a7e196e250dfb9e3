import DemoCommand
import Foundation

/// Shows what QueryKit does, part by part.
@main
enum QueryKitDemo {
    static func main() async throws {
        let screen = Screen()
        let command: Command
        do {
            command = try Command(Array(CommandLine.arguments.dropFirst()), parts: Part.all.map(\.name))
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(2)
        }
        switch command {
        case .help: help(on: screen)
        case .list: list(on: screen)
        case .run(let names): try await run(names, on: screen)
        }
    }

    private static func help(on screen: Screen) {
        screen.write("Shows what QueryKit does, in a food diary of a few lines.")
        screen.write()
        screen.write("  querykit-demo              all parts")
        screen.write("  querykit-demo PART …       some parts, such as: querykit-demo retry")
        screen.write("  querykit-demo --list       the parts")
        screen.write("  querykit-demo --help       this text")
        screen.write()
        screen.write("Parts:")
        list(on: screen)
        screen.write()
        screen.write("Colour is for terminals; NO_COLOR=1 turns it off.")
    }

    private static func list(on screen: Screen) {
        for part in Part.all {
            screen.write("  \(screen.paint(Text.padded(part.name, to: 14), .name))\(part.title)")
        }
    }

    private static func run(_ names: [String], on screen: Screen) async throws {
        var isAsPromised = true
        for (index, name) in names.enumerated() {
            guard let part = Part.all.first(where: { $0.name == name }) else { continue }
            if index > 0 { screen.write("\n") }
            isAsPromised = try await part.show(on: screen) && isAsPromised
        }
        if !isAsPromised { exit(1) }
    }
}
