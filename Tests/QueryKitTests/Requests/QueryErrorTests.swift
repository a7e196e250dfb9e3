import Foundation
import TestSupport
import Testing

@testable import QueryKit

@Suite(.timeLimit(.minutes(5)))
struct QueryErrorTests {
    private static let codes: [QueryError.Code] = [
        .timeout, .invalidParameters, .databaseCorruption, .insufficientPermissions, .networkUnavailable, .cycle,
    ]

    @Test(arguments: codes) func `R26 each code has a message in whole sentences, for people and for Foundation`(_ code: QueryError.Code) {
        let error = QueryError(code)
        #expect(error.code == code)
        #expect(error.message.count > 20)
        #expect(error.message.hasSuffix("."))
        #expect(error.localizedDescription == error.message)
        #expect(error.description == "\(code): \(error.message)")
    }

    @Test func `R26 codes and their messages are distinct`() {
        #expect(Set(Self.codes).count == Self.codes.count)
        #expect(Set(Self.codes.map { QueryError($0).message }).count == Self.codes.count)
        #expect(
            Self.codes.map(\.description)
                == ["timeout", "invalidParameters", "databaseCorruption", "insufficientPermissions", "networkUnavailable", "cycle"]
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
