package import Terminal

/// An act as text: its code, the log of what its screens have shown, and its outcome.
package struct ActText: Sendable {
    private let act: Act
    private let number: Int
    private let count: Int
    private let picture: StagePicture

    /// - Parameter picture: The picture at the end of the act.
    package init(_ act: Act, number: Int, of count: Int, picture: StagePicture) {
        (self.act, self.number, self.count, self.picture) = (act, number, count, picture)
    }

    package func lines(width: Int) -> [Line] { content(width).map { $0.withoutTrailingSpace() } }

    private func content(_ width: Int) -> [Line] {
        var picture = picture
        picture.line = nil
        let panels = ActPanels(act: act, picture: picture)
        let head = [Line(), "\("\(number)/\(count)", .series(0))  \(act.title, .title)"] + Line.wrapped(act.claim, to: width) + [Line()]
        let isWide = width >= ActScreen.widthForColumns
        let left = act.code.width + 3
        let right = isWide ? width - left - 2 : width
        let seen = panels.log(width: right) + [panels.counts(width: right)] + panels.outcome(width: right)
        guard isWide else { return head + panels.code + [Line()] + seen }
        return head
            + (0..<max(panels.code.count, seen.count)).map { row in
                (row < panels.code.count ? panels.code[row] : Line()).padded(to: left) + Line("│ ", .faint)
                    + (row < seen.count ? seen[row] : Line())
            }
    }
}
