package import Foundation

/// The location of the diary: from the option, otherwise from the environment, otherwise in the data directory of the user.
package struct DiaryLocation: Hashable, Sendable {
    package let file: URL

    /// Whether the location is the default one, whose folder may be created.
    package let isDefault: Bool

    package init(option: String?, environment: [String: String], home: URL) {
        if let path = option ?? environment["FOOD_DIARY_DB"].flatMap({ $0.isEmpty ? nil : $0 }) {
            file = URL(fileURLWithPath: path)
            isDefault = false
        } else {
            // The XDG Base Directory Specification requires that relative paths are ignored.
            let data = environment["XDG_DATA_HOME"].flatMap(Self.folder)
            // Foundation reads only the user database, but other programs, and tests, use $HOME.
            let home = environment["HOME"].flatMap(Self.folder) ?? home
            file = (data ?? home.appending(path: ".local/share")).appending(path: "food-diary/diary.db")
            isDefault = true
        }
    }

    private static func folder(_ path: String) -> URL? { path.hasPrefix("/") ? URL(fileURLWithPath: path) : nil }

    /// The location for this process.
    package static func current(option: String?) -> DiaryLocation {
        DiaryLocation(
            option: option,
            environment: ProcessInfo.processInfo.environment,
            home: FileManager.default.homeDirectoryForCurrentUser
        )
    }
}
