//! The dependencies that a fetch takes from its context: use
//! cases, and other requests.
import QueryKit

nonisolated protocol PriceList: Sendable {
    func price(of product: String) async throws -> Int
}

// snippet.key
struct ShopPrices: PriceList {
    func price(of product: String) async throws -> Int {
        product.count * 100
    }
}

nonisolated extension QueryDependencies {
    var priceList: QueryDependency<any PriceList> {
        .init(ShopPrices())
    }
}
// snippet.end

// snippet.request
struct Price: QueryRequest {
    let product: String

    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<Int>
    ) async throws -> Int {
        try await context.priceList.price(of: product)
    }
}
// snippet.end

// snippet.other
struct Total: QueryRequest {
    let products: [String]

    func fetch(
        in context: QueryContext,
        with continuation: QueryContinuation<Int>
    ) async throws -> Int {
        guard let client = context.queryClient else {
            throw CancellationError()
        }
        var total = 0
        for product in products {
            total += try await client.fetch(
                Price(product: product).ttl(.seconds(60))
            )
        }
        return total
    }
}
// snippet.end

// snippet.mock
struct OnePrice: PriceList {
    let price: Int

    func price(of product: String) async throws -> Int { price }
}

var context = QueryContext()
context.priceList = OnePrice(price: 5)
let client = QueryClient(context: context)
print(try await client.fetch(Total(products: ["tea", "milk"])))  // 10
// snippet.end

// snippet.once
// Replaces a dependency for one run. Everything else comes
// from the store's context.
let store = client.store(for: Price(product: "tea"))
var expensive = store.context
expensive.priceList = OnePrice(price: 50)
print(try await store.fetch(using: expensive))  // 50
// snippet.end
// snippet.hide
precondition(store.value == 50)
// snippet.show
