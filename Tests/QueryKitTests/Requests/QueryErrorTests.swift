import Foundation
import TestSupport
import Testing

@testable import QueryKit

struct QueryErrorTests {
    private static let messages: [(code: QueryError.Code, message: String)] = [
        (.timeout, "The request took too long. Try again, or allow it more time."),
        (.invalidParameters, "The request's parameters are not valid. Correct them and try again."),
        (.databaseCorruption, "The stored data is damaged. Restore it from a backup."),
        (.insufficientPermissions, "Permission is missing. Grant it and try again."),
        (.networkUnavailable, "There is no network connection. Try again when it is back."),
        (.noValue, "The stream ended without a value. Check its source, and try again."),
        (.unreadableData, "The stored data can't be read. It is ignored."),
        (.unwritableData, "The data can't be stored. Check the folder and the free space."),
        (.newerFormat, "The data was written by a newer version of the app. Update the app to read it."),
        (.sessionEnded, "The context belongs to a session that has ended. Use the store's current context, or create a new one."),
        (.cycle, "Requests wait for each other in a cycle. Break it where one request fetches another."),
    ]

    @Test(arguments: messages) func `R26 each code has its message, for users and for Foundation`(
        _ code: QueryError.Code,
        _ message: String
    ) {
        let error = QueryError(code)
        #expect(error.code == code)
        #expect(error.message == message)
        #expect(error.localizedDescription == message)
        #expect(error.description == "\(code): \(message)")
    }

    @Test func `R26 codes and their messages are distinct`() {
        #expect(Set(Self.messages.map(\.code)).count == Self.messages.count)
        #expect(Set(Self.messages.map(\.message)).count == Self.messages.count)
        #expect(
            Self.messages.map(\.code.description) == [
                "timeout", "invalidParameters", "databaseCorruption", "insufficientPermissions", "networkUnavailable", "noValue",
                "unreadableData", "unwritableData", "newerFormat", "sessionEnded", "cycle",
            ]
        )
    }

    @Test func `R26 an error's description includes the path and the underlying error`() {
        let error = QueryError(.timeout, "Too slow.", path: ["food", "a/b"], underlying: TestError("socket closed"))
        #expect(error.description == #"timeout: Too slow. [food/a\/b] (socket closed)"#)
        #expect(error.message == "Too slow.")
        #expect(error.path == ["food", "a/b"])
        #expect(error.underlying as? TestError == TestError("socket closed"))
        #expect(error.localizedDescription == "Too slow.")
    }
}
