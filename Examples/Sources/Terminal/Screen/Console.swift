import Foundation

/// The output of a command: lines on one stream, and remarks on another.
package struct Console: Sendable {
    /// Whether to use colors.
    package enum ColorChoice: String, CaseIterable, Sendable {
        case auto, always, never
    }

    package let palette: Palette
    package let width: Int

    /// Whether the output is a terminal whose cursor can be moved.
    package let drawsPictures: Bool

    /// Whether remarks are JSON objects for scripts, one per line.
    package let isJSON: Bool

    private let remarkPalette: Palette
    private let barWidth: Int?
    private let output: @Sendable (String) throws -> Void
    private let remarks: @Sendable (String) -> Void

    /// Creates a console with custom outputs.
    package init(
        palette: Palette = .none,
        width: Int = 80,
        drawsPictures: Bool = false,
        isJSON: Bool = false,
        output: @escaping @Sendable (String) throws -> Void,
        remarks: @escaping @Sendable (String) -> Void
    ) {
        self.init(
            palette,
            remarkPalette: palette,
            width: width,
            drawsPictures: drawsPictures,
            isJSON: isJSON,
            barWidth: nil,
            output: output,
            remarks: remarks
        )
    }

    private init(
        _ palette: Palette,
        remarkPalette: Palette,
        width: Int,
        drawsPictures: Bool,
        isJSON: Bool,
        barWidth: Int?,
        output: @escaping @Sendable (String) throws -> Void,
        remarks: @escaping @Sendable (String) -> Void
    ) {
        self.palette = palette
        self.remarkPalette = remarkPalette
        self.width = min(max(width, 40), 200)
        self.drawsPictures = drawsPictures
        self.isJSON = isJSON
        self.barWidth = barWidth
        self.output = output
        self.remarks = remarks
    }

    /// A console on standard output, with remarks and progress on standard error.
    package static func system(
        _ color: ColorChoice,
        isJSON: Bool = false,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> Console {
        let palette = { (descriptor: Int32) -> Palette in
            switch color {
            case .always: .best(environment: environment)
            case .never: .none
            case .auto: .of(isTerminal: isatty(descriptor) == 1, environment: environment)
            }
        }
        let hasBar = isatty(STDERR_FILENO) == 1 && environment["TERM"] != "dumb"
        return Console(
            palette(STDOUT_FILENO),
            remarkPalette: palette(STDERR_FILENO),
            width: TerminalSize.current(environment: environment).columns,
            drawsPictures: isatty(STDOUT_FILENO) == 1 && environment["TERM"] != "dumb",
            isJSON: isJSON,
            barWidth: hasBar ? TerminalSize.current(of: STDERR_FILENO, environment: environment).columns : nil,
            output: { try Output.write($0, to: STDOUT_FILENO) },
            // There is no other place to report that this failed.
            remarks: { try? Output.write($0, to: STDERR_FILENO) }
        )
    }

    package func write(_ lines: [Line]) throws { try write(text: lines.map { $0.encoded(in: palette) + "\n" }.joined()) }

    package func write(_ line: Line = "") throws { try write([line]) }

    /// Writes a line, truncated to the width.
    package func write(fitted line: Line) throws { try write(line.truncated(to: width)) }

    /// Writes a text unchanged. If writing fails, the error ends the command.
    package func write(text: String) throws { try output(text) }

    /// Writes a remark for the user; for a script, a JSON object with the name `note`.
    package func remark(_ line: Line) {
        if isJSON { remark(json: ["note": line.text]) } else { remarks(line.encoded(in: remarkPalette) + "\n") }
    }

    /// Writes a remark for a script, as one line of JSON.
    package func remark(json value: some Encodable) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Encoding can't fail here: the values are texts, whole numbers, and values that were stored in files.
        guard let data = try? encoder.encode(value) else { return }
        remarks(String(decoding: data, as: UTF8.self) + "\n")
    }

    /// Shows a progress bar on standard error while work is running, if that is a terminal. The work may report its progress on any thread.
    package func withProgress<Result: Sendable>(
        _ title: String,
        _ work: (_ tell: @escaping @Sendable (_ share: Double, _ note: String) -> Void) async throws -> Result
    ) async throws -> Result {
        let (told, continuation) = AsyncStream.makeStream(of: (Double, String).self, bufferingPolicy: .bufferingNewest(1))
        let bar = ProgressBar(title, width: barWidth, palette: remarkPalette, write: remarks)
        // Ends with the stream, which ends with the work.
        let drawing = Task { for await (share, note) in told { await bar.show(share, note) } }
        do {
            let result = try await work { share, note in continuation.yield((share, note)) }
            continuation.finish()
            await drawing.value
            await bar.end()
            return result
        } catch {
            continuation.finish()
            await drawing.value
            await bar.end()
            throw error
        }
    }

    /// Asks the user a yes-or-no question; `nil` if there is no terminal. Throws as soon as the task is cancelled.
    package func confirm(_ question: Line) async throws -> Bool? {
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return nil }
        remarks((question + " [y/N] ").encoded(in: remarkPalette))
        let answer = await TypedLine.read()
        // The user has not pressed Enter.
        if answer == nil { remarks("\n") }
        try Task.checkCancellation()
        return ["y", "yes"].contains((answer ?? "").trimmingCharacters(in: .whitespaces).lowercased())
    }
}
