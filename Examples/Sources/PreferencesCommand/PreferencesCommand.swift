import Foundation
import PreferencesApp

/// Shows and changes preferences from the command line.
@main
enum PreferencesCommand {
    static func main() async { exit(await PreferencesProgram.run(Array(CommandLine.arguments.dropFirst()))) }
}
