import Foundation
import QueryKit
import QueryKitInspector

// A shop that sells something all the time, to look at the inspector: open the printed address.
// The page may act and shows values, because nothing here is private.
let arguments = CommandLine.arguments.dropFirst()
let usage = """
    Shows the inspector of a shop that sells something every half second.

      inspected-shop [PORT [TOKEN [crowd]]]

    Default: a free port, and a new token at each start. With "crowd", the client has 10,000
    stores and 1,000 events a second instead of a shop.
    Press Return to release the client for photos, the second one on the page.
    """
if arguments.contains("--help") {
    print(usage)
    exit(0)
}
let isCrowd = arguments.count == 3 && arguments.last == "crowd"
guard let port = UInt16(arguments.first ?? "0"), arguments.count <= 2 || isCrowd else {
    FileHandle.standardError.write(Data((usage + "\n").utf8))
    exit(2)
}

let shop = try await Shop()
let crowd = Crowd()
let subscriptions = isCrowd ? crowd.open() : try await shop.open()
// Its time stands still until the page advances it.
var photosContext = QueryContext()
photosContext.clock = ManualClock()
var photos: QueryClient? = QueryClient(context: photosContext)
for article in Shop.articles {
    photos?.setValue("article\(article).jpg", for: InlineQuery<String>("photos", article))
}
let inspector: QueryInspector
do {
    inspector = try await QueryInspector.start(
        isCrowd ? crowd.client : shop.client,
        name: "Shop",
        port: port,
        token: arguments.dropFirst().first,
        allowsActions: true,
        showsValues: true
    )
} catch {
    FileHandle.standardError.write(Data("error: \(error)\n".utf8))
    exit(1)
}
if let photos { await inspector.add(photos, name: "photos") }

let lines = AsyncStream<String> { continuation in
    Thread.detachNewThread {
        while let line = readLine() { continuation.yield(line) }
        continuation.finish()
    }
}
// Ends with the program.
Task { for await _ in lines { photos = nil } }

if isCrowd { try await crowd.run() }

// The other articles stay as they are, so that a simulated state of theirs stays, too.
var article = 5
for sale in 1... {
    // Not awaited, because it waits while there is no network.
    if sale.isMultiple(of: 5) { Task { [article] in try await shop.reorder(article) } }
    for article in 1...3 { Task { try await shop.client.fetch(shop.delivery(of: article)) } }
    try await shop.client.mutate(shop.sale, with: article)
    article = article == 5 ? 6 : 5
    try await Task.sleep(for: .milliseconds(500))
}
