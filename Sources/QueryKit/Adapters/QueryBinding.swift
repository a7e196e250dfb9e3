#if canImport(SwiftUI)
    public import SwiftUI

    /// Bindings into the value of a query. What is written is seen by everybody who looks at the request, at once.
    extension QueryMirror {
        /// A binding to the whole value; `nil` while there is none.
        ///
        /// ```swift
        /// if let profile = $profile.binding { ProfileEditor(profile: profile) }
        /// ```
        public var binding: Binding<State.QueryValue>? {
            guard let value = state.current else { return nil }
            return Binding { @MainActor in
                self.state.current ?? value
            } set: { @MainActor in
                self.setValue($0)
            }
        }

        /// A binding to a part of the value, which shows `fallback` while there is no value, and then writes nothing.
        ///
        /// Writes that part alone, so two fields never undo each other: `TextField("Name", text: $profile.binding(\.name, or: ""))`.
        public func binding<Member: Sendable>(
            _ keyPath: any WritableKeyPath<State.QueryValue, Member> & Sendable,
            or fallback: Member
        ) -> Binding<Member> {
            Binding { @MainActor in
                self.state.current?[keyPath: keyPath] ?? fallback
            } set: { @MainActor member in
                self.updateValue { $0[keyPath: keyPath] = member }
            }
        }
    }

    /// Bindings into the value of a shared query, as in `model.$profile.binding(\.name, or: "")`.
    extension SharedQuery {
        /// A binding to the whole value; `nil` while there is none.
        @MainActor public var binding: Binding<State.QueryValue>? {
            guard let value = state.current else { return nil }
            return Binding { @MainActor in
                self.state.current ?? value
            } set: { @MainActor in
                self.setValue($0)
            }
        }

        /// A binding to a part of the value, which shows `fallback` while there is no value, and then writes nothing.
        @MainActor public func binding<Member: Sendable>(
            _ keyPath: any WritableKeyPath<State.QueryValue, Member> & Sendable,
            or fallback: Member
        ) -> Binding<Member> {
            Binding { @MainActor in
                self.state.current?[keyPath: keyPath] ?? fallback
            } set: { @MainActor member in
                self.updateValue { $0[keyPath: keyPath] = member }
            }
        }
    }
#endif
