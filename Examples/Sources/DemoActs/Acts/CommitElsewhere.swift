import Foundation
import QueryKit

/// Act 3: a commit of another process refetches the queries that read what it wrote.
enum CommitElsewhere {
    @MainActor
    static func play(on stage: Stage) async throws {
        let file = try stage.file("packing.sqlite")
        let packing = try await stage.openPackingList(file)
        try await packing.add("Passport", "Tent")
        let client = stage.client
        // snippet.show
        let items = InlineQuery("packing/items") { context in
            try await context.packing.items()
        }.freshUntilChanged()
        let count = InlineQuery("packing/count") { context in
            try await context.packing.count()
        }.freshUntilChanged()

        let list = client.store(for: items)
        let number = client.store(for: count)
        stage.show("Packing list", list)
        stage.show("Count", number)
        try await stage.passes(.seconds(0.8))

        // A second process writes to the file, and ends.
        // snippet.hide
        stage.note("another process runs: querykit-demo pack FILE Raincoat")
        // snippet.show
        try await stage.runProcess("pack", file.path, "Raincoat")
        for await state in list.states
        where state.value?.count == 3 { break }
        for await state in number.states
        where state.value == 3 { break }
        // snippet.hide
        try await stage.passes(.seconds(1.2))
        stage.conclude("Both screens follow the other process. The cause of the run: \(list.state.cause)")
    }
}
