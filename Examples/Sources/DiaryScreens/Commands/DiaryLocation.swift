package import Foundation

/// Where the diary lies: what somebody says, else what the environment says, else the place for data of its user.
package struct DiaryLocation: Hashable, Sendable {
    package let file: URL

    /// Nobody chose the place, so its folder may be made.
    package let isDefault: Bool

    package init(option: String?, environment: [String: String], home: URL) {
        if let path = option ?? environment["FOOD_DIARY_DB"].flatMap({ $0.isEmpty ? nil : $0 }) {
            file = URL(fileURLWithPath: path)
            isDefault = false
        } else {
            // A path that is not absolute is to be ignored, says the XDG Base Directory Specification.
            let data = environment["XDG_DATA_HOME"].flatMap(Self.folder)
            // Foundation looks only at the list of users, but other programs, and tests, go by $HOME.
            let home = environment["HOME"].flatMap(Self.folder) ?? home
            file = (data ?? home.appending(path: ".local/share")).appending(path: "food-diary/diary.db")
            isDefault = true
        }
    }

    private static func folder(_ path: String) -> URL? { path.hasPrefix("/") ? URL(fileURLWithPath: path) : nil }

    /// The place for this process.
    package static func current(option: String?) -> DiaryLocation {
        DiaryLocation(
            option: option,
            environment: ProcessInfo.processInfo.environment,
            home: FileManager.default.homeDirectoryForCurrentUser
        )
    }
}
