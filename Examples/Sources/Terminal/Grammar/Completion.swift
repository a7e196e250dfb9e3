/// A shell for which a completion script can be generated.
package enum Shell: String, CaseIterable, Sendable {
    case bash, zsh, fish
}

/// The script with which a shell completes the arguments of a program. It is generated from the grammar, so it is never out of date.
package struct Completion: Sendable {
    private let grammar: Grammar

    package init(_ grammar: Grammar) { self.grammar = grammar }

    package func script(for shell: Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    private var function: String { "_" + grammar.program.replacing("-", with: "_") }

    // MARK: - bash

    private var bash: String {
        let program = grammar.program
        return """
            # Completion of \(program) for bash: put this into ~/.bashrc:
            #   source <(\(program) completion bash)
            \(function)() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command= word options= operands= files=
                local commands="\(grammar.commandNames.joined(separator: " "))"
                for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                    case " $commands " in *" $word "*) command=$word; break ;; esac
                done
                case "$command $previous" in
            \(bashValues)
                esac
                case "$command" in
            \(bashCommands)
                    *) operands=$commands ;;
                esac
                options="$options \(grammar.common.map(\.name).joined(separator: " "))"
                if [[ $current == -* ]]; then
                    COMPREPLY=($(compgen -W "$options" -- "$current"))
                elif [[ -n $files ]]; then
                    COMPREPLY=($(compgen -f -- "$current"))
                else
                    COMPREPLY=($(compgen -W "$operands" -- "$current"))
                fi
            }
            complete -o filenames -o bashdefault -F \(function) \(program)

            """
    }

    private var bashValues: String {
        func line(_ pattern: String, _ option: OptionForm) -> String? {
            guard let value = option.value else { return nil }
            let reply =
                switch value.completion {
                case .none: "COMPREPLY=(); return"
                case .files: "COMPREPLY=($(compgen -f -- \"$current\")); return"
                case .words(let words): "COMPREPLY=($(compgen -W \"\(words.joined(separator: " "))\" -- \"$current\")); return"
                }
            return "        \(pattern)) \(reply) ;;"
        }
        let own = grammar.commands.flatMap { command in command.options.compactMap { line("\"\(command.name) \($0.name)\"", $0) } }
        let common = grammar.common.compactMap { line("*\" \($0.name)\"", $0) }
        return (own + common).joined(separator: "\n")
    }

    private var bashCommands: String {
        grammar.commands.map { command in
            let options = command.options.map(\.name).joined(separator: " ")
            let operands =
                switch command.operands.first?.value.completion {
                case .words(let words): " operands=\"\(words.joined(separator: " "))\""
                case .files: " files=yes"
                case .some(.none), nil: ""
                }
            return "        \(command.name)) options=\"\(options)\"\(operands) ;;"
        }.joined(separator: "\n")
    }

    // MARK: - zsh

    private var zsh: String {
        let program = grammar.program
        let commands = grammar.commands.map { "        '\($0.name):\(Self.zshText($0.summary))'" }.joined(separator: "\n")
        return """
            #compdef \(program)
            # Completion of \(program) for zsh: write this to a file \(function) in a folder of $fpath, or put into ~/.zshrc:
            #   source <(\(program) completion zsh)
            \(function)() {
                local -a commands common
                commands=(
            \(commands)
                )
                common=(
            \(grammar.common.map { "        \(Self.zshOption($0))" }.joined(separator: "\n"))
                )
                local context state line curcontext="$curcontext"
                _arguments -C $common '1:command:->command' '*::argument:->argument'
                case $state in
                    command) _describe command commands ;;
                    argument)
                        case $line[1] in
            \(grammar.commands.map(zshCommand).joined(separator: "\n"))
                        esac ;;
                esac
            }
            if [ "$funcstack[1]" = "\(function)" ]; then \(function) "$@"; else compdef \(function) \(program); fi

            """
    }

    private func zshCommand(_ command: CommandForm) -> String {
        let operands = command.operands.map { operand in
            let many = operand.count == .some || operand.count == .any ? "*" : ""
            return "'\(many):\(operand.value.placeholder.lowercased()):\(Self.zshAction(operand.value.completion))'"
        }
        let parts = ["$common"] + command.options.map(Self.zshOption) + operands
        return "                    \(command.name)) _arguments \(parts.joined(separator: " ")) ;;"
    }

    private static func zshOption(_ option: OptionForm) -> String {
        let value = option.value.map { ":\($0.placeholder.lowercased()):\(zshAction($0.completion))" } ?? ""
        return "'\(option.name)[\(zshText(option.summary))]\(value)'"
    }

    private static func zshAction(_ completion: ValueForm.Completion) -> String {
        switch completion {
        case .none: " "
        case .files: "_files"
        case .words(let words): "(\(words.joined(separator: " ")))"
        }
    }

    private static func zshText(_ text: String) -> String {
        text.replacing("'", with: "’").replacing(":", with: "\\:").replacing("[", with: "(").replacing("]", with: ")")
    }

    // MARK: - fish

    private var fish: String {
        let program = grammar.program
        let isFirst = "not __fish_seen_subcommand_from \(grammar.commandNames.joined(separator: " "))"
        var lines = [
            "# Completion of \(program) for fish: put this into ~/.config/fish/completions/\(program).fish", "complete -c \(program) -f",
        ]
        for command in grammar.commands {
            lines.append("complete -c \(program) -n '\(isFirst)' -a \(command.name) -d '\(Self.fishText(command.summary))'")
        }
        lines += grammar.common.map { "complete -c \(program) \(Self.fishOption($0))" }
        for command in grammar.commands {
            let condition = "-n '__fish_seen_subcommand_from \(command.name)'"
            lines += command.options.map { "complete -c \(program) \(condition) \(Self.fishOption($0))" }
            for operand in command.operands {
                switch operand.value.completion {
                case .none: break
                case .files: lines.append("complete -c \(program) \(condition) -F")
                case .words(let words): lines.append("complete -c \(program) \(condition) -a '\(words.joined(separator: " "))'")
                }
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func fishOption(_ option: OptionForm) -> String {
        let short = option.short.map { "-s \($0.dropFirst()) " } ?? ""
        let value =
            switch option.value?.completion {
            case nil: ""
            case .some(.none): " -x"
            case .files: " -r -F"
            case .words(let words): " -x -a '\(words.joined(separator: " "))'"
            }
        return "\(short)-l \(option.name.dropFirst(2))\(value) -d '\(fishText(option.summary))'"
    }

    private static func fishText(_ text: String) -> String { text.replacing("'", with: "’") }
}
