import Foundation
import QueryKit
import QueryKitInspector

// A shop that sells something all the time, to look at the inspector: open the printed address.
// The page may act and shows values, because nothing here is private.
let arguments = CommandLine.arguments.dropFirst()
let usage = """
    Shows the inspector of a shop that sells something every half second.

      inspected-shop [PORT [TOKEN]]    Default: a free port, and a new token at each start.
    """
if arguments.contains("--help") {
    print(usage)
    exit(0)
}
guard let port = UInt16(arguments.first ?? "0"), arguments.count <= 2 else {
    FileHandle.standardError.write(Data((usage + "\n").utf8))
    exit(2)
}

let shop = try await Shop()
let subscriptions = try await shop.open()
let inspector: QueryInspector
do {
    inspector = try await QueryInspector.start(
        shop.client,
        name: "Shop",
        port: port,
        token: arguments.count == 2 ? arguments.last : nil,
        allowsActions: true,
        showsValues: true
    )
} catch {
    FileHandle.standardError.write(Data("error: \(error)\n".utf8))
    exit(1)
}
// The other articles stay as they are, so that a simulated state of theirs stays, too.
var article = 5
while true {
    try await shop.client.mutate(shop.sale, with: article)
    article = article == 5 ? 6 : 5
    try await Task.sleep(for: .milliseconds(500))
}
