package import QueryKit

/// The app at the beginning of an act: a client over a fake web API, with a clock and a network that the act controls.
@MainActor
package struct StageApp {
    let clock = ManualClock()
    let network = ManualNetworkObserver()
    let api: WebAPI
    package let client: QueryClient

    package init() {
        api = WebAPI(clock: clock, network: network)
        var context = QueryContext()
        (context.clock, context.networkObserver, context.api) = (clock, network, api)
        client = QueryClient(context: context, configuration: .isolated)
    }
}
