#if canImport(SwiftUI)
    public import SwiftUI

    extension EnvironmentValues {
        private enum QueryClientKey: EnvironmentKey {
            static var defaultValue: QueryClient? { nil }
        }

        /// The client for this view and its subviews. Default: ``QueryClient/current``.
        ///
        /// ```swift
        /// ContentView().environment(\.queryClient, client)
        ///
        /// @Environment(\.queryClient) private var client
        /// Button("Refresh") { client.invalidate("food/**") }
        /// ```
        public var queryClient: QueryClient {
            get { self[QueryClientKey.self] ?? .current }
            set { self[QueryClientKey.self] = newValue }
        }
    }
#endif
