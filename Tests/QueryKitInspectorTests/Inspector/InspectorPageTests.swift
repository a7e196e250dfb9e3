import Foundation
import TestSupport
import Testing

@testable import QueryKitInspector

struct InspectorPageTests {
    private func folder(_ files: [String: String]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (name, text) in files { try Data(text.utf8).write(to: folder.url.appending(path: name)) }
        return folder
    }

    @Test func `the files are joined into one document with a nonce`() throws {
        let folder = try folder([
            "inspector.html": #"<head><link rel="stylesheet" href="a.css"></head><script src="b.js"></script>!"#, "a.css": "p {}",
            "b.js": #"f("</script>")"#,
        ])
        let page = try InspectorPage(folder: folder.url)
        let (first, second) = (page.response(), page.response())
        let text = String(decoding: first.body, as: UTF8.self)
        let nonce = try #require(text.firstMatch(of: /nonce="([0-9a-f]{32})"/)).output.1
        #expect(
            text == """
                <head><style nonce="\(nonce)">
                p {}</style></head><script nonce="\(nonce)">
                f("<\\/script>")</script>!
                """
        )
        let policy = try #require(first.fields["content-security-policy"])
        #expect(policy.hasPrefix("default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)';"))
        #expect(!policy.contains("unsafe"))
        #expect(first.body != second.body)
    }

    @Test func `a file that is missing is an error that names it`() throws {
        let folder = try folder(["inspector.html": #"<script src="Model/b.js"></script>"#])
        let error = #expect(throws: QueryInspectorError.self) { try InspectorPage(folder: folder.url) }
        #expect(error?.code == .pageMissing)
        #expect(error?.description == "The page of the inspector is incomplete: Model/b.js is missing.")
        let outside = try self.folder(["inspector.html": #"<script src="../b.js"></script>"#])
        #expect(throws: QueryInspectorError.self) { try InspectorPage(folder: outside.url) }
    }

    @Test func `a bundle that is missing is an error that says where it was expected`() {
        let error = #expect(throws: QueryInspectorError.self) { try InspectorPage.load(from: []) }
        #expect(error?.code == .pageMissing)
        #expect(error?.description.contains("QueryKit_QueryKitInspector") == true)
    }

    @Test func `the page of this module is complete and loads nothing else`() throws {
        let text = String(decoding: try InspectorPage.load().response().body, as: UTF8.self)
        #expect(text.contains("<script nonce="))
        #expect(text.contains("<style nonce="))
        #expect(text.matches(of: /<(?:script|link|img)[^>]* (?:src|href)="(?!data:)[^"]*"/).map { String($0.output) } == [])
    }
}
