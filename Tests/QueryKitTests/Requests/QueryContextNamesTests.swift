import Foundation
import Testing

/// A dependency with the name of a member is refused only if `QueryContextNames` has that name.
struct QueryContextNamesTests {
    private static let sources = URL(filePath: #filePath).appending(path: "../../../../Sources").standardizedFileURL

    /// The public properties that the sources declare in the blocks of a type and of its extensions.
    private func properties(of type: String) throws -> Set<String> {
        let folder = Self.sources.path(percentEncoded: false)
        let beginnings = ["extension \(type) {", "public struct \(type): ", "public class \(type) {"]
        var found: Set<String> = []
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder) where path.hasSuffix(".swift") {
            let source = try Data(contentsOf: Self.sources.appending(path: path))
            guard beginnings.contains(where: { source.range(of: Data($0.utf8)) != nil }) else { continue }
            var isInside = false
            for line in String(decoding: source, as: UTF8.self).split(separator: "\n") {
                if beginnings.contains(where: { line.hasPrefix($0) }) { isInside = true }
                if line == "}" { isInside = false }
                if isInside, let property = line.firstMatch(of: /^    public (final )?var (\w+)/) { found.insert(String(property.2)) }
            }
        }
        return found
    }

    @Test func `each member of a context is among the names that the compiler refuses`() throws {
        let members = try properties(of: "QueryContext")
        #expect(members == (try properties(of: "QueryContextNames")))
        #expect(members.isSuperset(of: ["clock", "ttl", "queryClient", "foodDiary"]))
    }
}
