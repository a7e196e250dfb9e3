import Foundation
import Terminal
import Testing

@testable import DiaryScreens

@Suite(.timeLimit(.minutes(5))) struct ZoneNameTests {
    @Test(arguments: [
        ("Europe/Berlin", "Europe/Berlin"), (":Europe/Berlin", "Europe/Berlin"), ("/usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo"),
        (":/usr/share/zoneinfo/posix/Asia/Tokyo", "Asia/Tokyo"), ("UTC", "UTC"),
    ])
    func `a known time zone is recognized in each form of TZ`(value: String, name: String) {
        #expect(ZoneName.known(value) == name && ZoneName.settle(["TZ": name]) == nil)
    }

    @Test(arguments: ["Nowhere/Land", "CET-1CEST,M3.5.0,M10.5.0/3"])
    func `an unknown time zone is reported, because times would be unexpected`(value: String) {
        #expect(ZoneName.settle(["TZ": value])?.text.hasPrefix("TZ=\(value) is not a known time zone") == true)
    }

    @Test func `without TZ nothing is reported, and the system's time zone is used`() {
        #expect(ZoneName.settle([:]) == nil && ZoneName.settle(["TZ": ""]) == nil)
    }
}

@Suite(.timeLimit(.minutes(5))) struct DiaryLocationTests {
    private let home = URL(fileURLWithPath: "/home/ada")

    @Test(arguments: [
        ("/a/b.db", ["FOOD_DIARY_DB": "/c.db"], "/a/b.db", false),
        (nil, ["FOOD_DIARY_DB": "/c.db", "XDG_DATA_HOME": "/data"], "/c.db", false),
        (nil, ["XDG_DATA_HOME": "/data"], "/data/food-diary/diary.db", true),
        (nil, ["XDG_DATA_HOME": "data"], "/home/ada/.local/share/food-diary/diary.db", true),
        (nil, ["HOME": "/home/eve"], "/home/eve/.local/share/food-diary/diary.db", true),
        (nil, ["HOME": "eve"], "/home/ada/.local/share/food-diary/diary.db", true),
        (nil, ["HOME": ""], "/home/ada/.local/share/food-diary/diary.db", true),
        (nil, ["HOME": "/home/eve", "XDG_DATA_HOME": "/data"], "/data/food-diary/diary.db", true),
        (nil, ["FOOD_DIARY_DB": ""], "/home/ada/.local/share/food-diary/diary.db", true),
    ])
    func `the diary is at the path of the option, otherwise of the environment, otherwise in the user's data folder`(
        option: String?,
        environment: [String: String],
        path: String,
        isDefault: Bool
    ) {
        let location = DiaryLocation(option: option, environment: environment, home: home)
        #expect(location.file.path == path && location.isDefault == isDefault)
    }
}
