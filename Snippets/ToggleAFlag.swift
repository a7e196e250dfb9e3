//! Toggle a flag of one row: the row changes at once, and a message
//! says which change failed.
import Observation
import QueryKit
import QueryKitTesting

#if canImport(SwiftUI)
    import SwiftUI
#endif

nonisolated struct Book: Identifiable, Sendable {
    let id: Int
    let title: String
    var isFavorite = false
}

nonisolated protocol BookRepository: Sendable {
    func books() async throws -> [Book]
    func mark(_ id: Book.ID, isFavorite: Bool) async throws
}

/// A server that waits at a gate before it changes a book.
actor HeldBooks: BookRepository {
    nonisolated let writing = Gate()
    /// The changes in the order of their arrival.
    private(set) var marks: [Bool] = []
    private var stored = [
        Book(id: 1, title: "Emma"), Book(id: 2, title: "Dracula"),
    ]

    func books() -> [Book] { stored }

    func mark(_ id: Book.ID, isFavorite: Bool) async throws {
        marks.append(isFavorite)
        try await writing.pass()
        for index in stored.indices where stored[index].id == id {
            stored[index].isFavorite = isFavorite
        }
    }
}

nonisolated extension QueryDependencies {
    var books: QueryDependency<any BookRepository> {
        .init(HeldBooks())
    }
}

// snippet.requests
/// The new value of the flag, not a command to toggle it: a call
/// that is made twice has the same effect as one.
nonisolated struct Mark: Sendable {
    let id: Book.ID
    let isFavorite: Bool
}

nonisolated extension Book {
    static let all = InlineQuery("books/all") { context in
        try await context.books.books()
    }

    static let mark = InlineMutation("books/mark") {
        (mark: Mark, context) in
        try await context.books.mark(
            mark.id,
            isFavorite: mark.isFavorite
        )
    }
    .optimistic { mark, layers in
        layers.update(all) { books in
            for index in books.indices
            where books[index].id == mark.id {
                books[index].isFavorite = mark.isFavorite
            }
        }
    }
    .scope("favorites")
    .invalidates("books/**")
}
// snippet.end

// snippet.model
@MainActor @Observable
final class BooksModel: QueryModel {
    let queryClient: QueryClient

    @ObservationIgnored
    @SharedQuery(Book.all.ttl(.seconds(60)), default: []) var books
    @ObservationIgnored @SharedMutation(Book.mark) private var mark

    /// What the latest failure was, until the next tap.
    private(set) var message: String?

    init(queryClient: QueryClient) { self.queryClient = queryClient }

    func toggle(_ id: Book.ID) throws {
        message = nil
        // What is shown now, with the layers of earlier taps.
        guard let book = books.first(where: { $0.id == id })
        else { return }
        try mark.submit(
            Mark(id: id, isFavorite: !book.isFavorite),
            onFailure: { @MainActor [weak self] error in
                self?.message = "\(book.title) not saved: \(error)"
            }
        )
    }
}
// snippet.end

#if canImport(SwiftUI)
    // snippet.view
    struct BooksView: View {
        let model: BooksModel

        var body: some View {
            List {
                if let message = model.message { Text(message) }
                ForEach(model.books) { book in
                    Button(
                        book.title,
                        systemImage: book.isFavorite
                            ? "star.fill" : "star"
                    ) {
                        try? model.toggle(book.id)
                    }
                }
            }
        }
    }
// snippet.end
#endif

// snippet.test
struct Refused: Error {}

let server = HeldBooks()
var context = QueryContext()
context.books = server
let client = QueryClient.test(context: context)
let model = BooksModel(queryClient: client)
@MainActor func favorites() -> [String] {
    model.books.filter(\.isFavorite).map(\.title)
}
_ = model.books  // the first read fetches
await client.settled()

// Two taps on two rows. The server refuses the first one.
try model.toggle(1)
try model.toggle(2)
print(favorites())  // ["Emma", "Dracula"]
await client.settled()
let arrived = await server.marks.count
print(arrived)  // 1, because of the scope
server.writing.failOnce(with: Refused())
server.writing.open()
await client.settled()
print(favorites())  // ["Dracula"]
print(model.message ?? "")  // Emma not saved: Refused()
// snippet.end
// snippet.hide
precondition(arrived == 1 && favorites() == ["Dracula"])
precondition(model.message == "Emma not saved: Refused()")
var marks = await server.marks
precondition(marks == [true, true])

// Two taps on one row reach the server in order.
server.writing.close()
try model.toggle(1)
precondition(favorites() == ["Emma", "Dracula"])
precondition(model.message == nil)
try model.toggle(1)
precondition(favorites() == ["Dracula"])
await client.settled()
marks = await server.marks
precondition(marks == [true, true, true])
server.writing.open()
await client.settled()
marks = await server.marks
precondition(marks == [true, true, true, false])
precondition(favorites() == ["Dracula"] && model.message == nil)
// snippet.show
