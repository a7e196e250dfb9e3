import Foundation

/// The files of the page, joined into one document that loads nothing else.
struct InspectorPage: Sendable {
    private let parts: [String]

    /// Finds the page among the resources of this module.
    static func load(from places: [URL] = places) throws(QueryInspectorError) -> InspectorPage {
        // In a bundle for macOS, the resources are in a subfolder.
        let folders = places.map { $0.appending(path: bundleName) }.flatMap { [$0, $0.appending(path: "Contents/Resources")] }
        for folder in folders.map({ $0.appending(path: "Page") }) {
            let document = folder.appending(path: "inspector.html").path(percentEncoded: false)
            if FileManager.default.fileExists(atPath: document) { return try InspectorPage(folder: folder) }
        }
        let names = places.map { $0.path(percentEncoded: false) }.joined(separator: ", ")
        throw QueryInspectorError(
            .pageMissing,
            """
            The page of the inspector is missing: \(bundleName) is in none of the folders \(names). \
            SwiftPM and Xcode put it beside the program; copy it along if you move the program.
            """
        )
    }

    #if canImport(Darwin)
        private static let bundleName = "QueryKit_QueryKitInspector.bundle"
    #else
        private static let bundleName = "QueryKit_QueryKitInspector.resources"
    #endif

    /// A class by which the bundle that contains this code is found.
    private final class Anchor {}

    /// Where the bundle of this module may be: in the app, beside the program, or beside the bundle of the tests.
    ///
    /// `Bundle.module` would end the process if it found nothing.
    private static var places: [URL] {
        let own = Bundle(for: Anchor.self)
        return [
            Bundle.main.resourceURL, Bundle.main.bundleURL, own.resourceURL, own.bundleURL, own.bundleURL.deletingLastPathComponent(),
            Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent(),
        ].compactMap(\.self)
    }

    /// Joins the files of a folder: each style sheet and each script replaces the element of `inspector.html` that names it.
    init(folder: URL) throws(QueryInspectorError) {
        func text(_ name: String) throws(QueryInspectorError) -> String {
            // A name that leads out of the folder is refused.
            guard !name.split(separator: "/").contains(".."),
                let text = try? String(contentsOf: folder.appending(path: name), encoding: .utf8)
            else { throw QueryInspectorError(.pageMissing, "The page of the inspector is incomplete: \(name) is missing.") }
            return text
        }
        let document = try text("inspector.html")
        var parts = [""]
        var rest = document[...]
        while let element = rest.firstMatch(of: /<link rel="stylesheet" href="([^"]+)">|<script src="([^"]+)"><\/script>/) {
            parts[parts.count - 1] += rest[..<element.range.lowerBound]
            if let style = element.output.1 {
                parts[parts.count - 1] += "<style nonce=\""
                parts.append("\">\n" + (try text(String(style))) + "</style>")
            } else if let script = element.output.2 {
                parts[parts.count - 1] += "<script nonce=\""
                // The text of a script ends at the first "</script", even inside a string.
                parts.append("\">\n" + (try text(String(script))).replacing("</script", with: "<\\/script") + "</script>")
            }
            rest = rest[element.range.upperBound...]
        }
        parts[parts.count - 1] += rest
        self.parts = parts
    }

    /// The document with a new nonce. A browser uses only scripts and styles that have the nonce, so a text that looks like a script has no
    /// effect.
    func response() -> HTTPResponse {
        let nonce = AccessRule.newToken()
        var response = HTTPResponse(type: "text/html; charset=utf-8", body: Array(parts.joined(separator: nonce).utf8))
        response.fields["content-security-policy"] = """
            default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; img-src data: blob:; connect-src 'self'; \
            base-uri 'none'; form-action 'none'; frame-ancestors 'none'
            """
        return response
    }
}
