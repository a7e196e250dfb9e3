import Foundation

/// The mode of a terminal that shows a screen: keys are delivered one by one without echo, and the screen uses the alternate buffer.
enum TerminalMode {
    private static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
    private static let leave: StaticString = "\u{1B}[?2026l\u{1B}[?7h\u{1B}[?25h\u{1B}[0m\u{1B}[?1049l"

    /// Enters the mode, and returns the previous settings.
    static func begin() -> termios {
        var before = termios()
        _ = tcgetattr(STDIN_FILENO, &before)
        var now = before
        now.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
        now.c_iflag &= ~tcflag_t(IXON | ICRNL)
        _ = tcsetattr(STDIN_FILENO, TCSANOW, &now)
        try? Output.write(enter)
        return before
    }

    static func end(_ before: termios) {
        var before = before
        writeLeave()
        _ = tcsetattr(STDIN_FILENO, TCSANOW, &before)
    }

    /// Restores the terminal when the process crashes, and then lets it crash.
    ///
    /// A signal handler may call little more than `write`, `tcgetattr` and `tcsetattr`, and can't know the previous settings, so it sets
    /// those that every shell uses.
    static func restoreOnCrash() {
        for number in [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE] {
            signal(number) { number in
                TerminalMode.writeLeave()
                var mode = termios()
                _ = tcgetattr(STDIN_FILENO, &mode)
                mode.c_lflag |= tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
                mode.c_iflag |= tcflag_t(IXON | ICRNL)
                _ = tcsetattr(STDIN_FILENO, TCSANOW, &mode)
                signal(number, SIG_DFL)
                raise(number)
            }
        }
    }

    private static func writeLeave() {
        // Failures are ignored: the terminal is closed.
        _ = Foundation.write(STDOUT_FILENO, leave.utf8Start, leave.utf8CodeUnitCount)
    }
}
