/// What can be seen on the stage at one moment.
package struct StagePicture: Hashable, Sendable {
    /// What a screen of the app shows.
    package struct Screen: Hashable, Sendable {
        package let name: String
        package let content: StageContent
    }

    /// A line of the log: what happened, or what a screen has shown since then.
    package struct Entry: Hashable, Sendable {
        package let time: Duration
        /// The name of the screen; `nil` if this is a note of the act.
        package let screen: String?
        package let content: StageContent
    }

    /// A number that the act counts.
    package struct Count: Hashable, Sendable {
        package let name: String
        package let value: Int
    }

    package internal(set) var screens: [Screen] = []
    package internal(set) var entries: [Entry] = []
    package internal(set) var counts: [Count] = []

    /// The line of the source that is being executed.
    package internal(set) var line: Int?

    /// What the act has shown, in one sentence; `nil` until its end.
    package internal(set) var outcome: String?

    /// The empty stage.
    package init() {}
}

/// The content of a screen, and a remark about it such as "refreshing".
package struct StageContent: Hashable, Sendable {
    package let text: String
    package let remark: String

    package init(_ text: String, _ remark: String = "") {
        self.text = text
        self.remark = remark
    }
}
