import Foundation
import Testing

@testable import DiaryScreens

@Suite(.timeLimit(.minutes(5))) struct DiaryLocationTests {
    private let home = URL(fileURLWithPath: "/home/ada")

    @Test(arguments: [
        ("/a/b.db", ["FOOD_DIARY_DB": "/c.db"], "/a/b.db", false),
        (nil, ["FOOD_DIARY_DB": "/c.db", "XDG_DATA_HOME": "/data"], "/c.db", false),
        (nil, ["XDG_DATA_HOME": "/data"], "/data/food-diary/diary.db", true),
        (nil, ["XDG_DATA_HOME": "data"], "/home/ada/.local/share/food-diary/diary.db", true),
        (nil, ["FOOD_DIARY_DB": ""], "/home/ada/.local/share/food-diary/diary.db", true),
    ])
    func `the diary lies where somebody says, else where the environment says, else with the user's data`(
        option: String?,
        environment: [String: String],
        path: String,
        isDefault: Bool
    ) {
        let location = DiaryLocation(option: option, environment: environment, home: home)
        #expect(location.file.path == path && location.isDefault == isDefault)
    }
}
