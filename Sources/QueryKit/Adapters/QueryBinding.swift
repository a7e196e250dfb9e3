#if canImport(SwiftUI)
    public import SwiftUI

    // Every observer of the request sees a written value immediately.

    /// Bindings to the value of a query in a view.
    extension QueryMirror where State.ViewValue == State {
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

        /// A binding that writes with a mutation, whose layers show immediately; `nil` while there is no value. See ``setValue(_:via:)``.
        public func binding<Result: Sendable>(
            via mutation: some QueryRequest<Result, MutationState<State.QueryValue, Result>>
        ) -> Binding<State.QueryValue>? {
            guard let value = state.current else { return nil }
            return Binding { @MainActor in
                self.state.current ?? value
            } set: { @MainActor in
                self.write($0, via: mutation)
            }
        }
    }

    /// Bindings to the value of a query with a default.
    extension QueryMirror where State.ViewValue == State.QueryValue, State.StateValue == State.QueryValue {
        /// A binding to the value. It shows the default while there is no value.
        ///
        /// ```swift
        /// Toggle("Black background", isOn: $amoled.binding)
        /// ```
        public var binding: Binding<State.QueryValue> {
            Binding { @MainActor in
                self.state.value
            } set: { @MainActor in
                self.setValue($0)
            }
        }

        /// A binding that writes with a mutation, whose layers show immediately. See ``setValue(_:via:)``.
        ///
        /// ```swift
        /// Toggle(
        ///     "Black background",
        ///     isOn: $amoled.binding(via: SetPreference(.amoled))
        /// )
        /// ```
        public func binding<Result: Sendable>(
            via mutation: some QueryRequest<Result, MutationState<State.QueryValue, Result>>
        ) -> Binding<State.QueryValue> {
            Binding { @MainActor in
                self.state.value
            } set: { @MainActor in
                self.write($0, via: mutation)
            }
        }
    }

    extension QueryMirror {
        /// A binding to a part of the value. While there is no value, it shows `fallback` and ignores writes.
        ///
        /// It writes only that part, so two fields never overwrite each other: `TextField("Name", text: $profile.binding(\.name, or: ""))`.
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

    /// Bindings to the value of a shared query, as in `model.$profile.binding(\.name, or: "")`.
    extension SharedQuery where State: QueryStateProtocol, State.ViewValue == State {
        /// A binding to the whole value; `nil` while there is none.
        @MainActor public var binding: Binding<State.QueryValue>? {
            guard let value = state.current else { return nil }
            return Binding { @MainActor in
                self.state.current ?? value
            } set: { @MainActor in
                self.setValue($0)
            }
        }

        /// A binding that writes with a mutation, whose layers show immediately; `nil` while there is no value. See ``setValue(_:via:)``.
        @MainActor public func binding<Result: Sendable>(
            via mutation: some QueryRequest<Result, MutationState<State.QueryValue, Result>>
        ) -> Binding<State.QueryValue>? {
            guard let value = state.current else { return nil }
            return Binding { @MainActor in
                self.state.current ?? value
            } set: { @MainActor in
                self.write($0, via: mutation)
            }
        }
    }

    /// Bindings to the value of a shared query with a default.
    extension SharedQuery where State: QueryStateProtocol, State.ViewValue == State.QueryValue, State.StateValue == State.QueryValue {
        /// A binding to the value. It shows the default while there is no value.
        @MainActor public var binding: Binding<State.QueryValue> {
            Binding { @MainActor in
                self.state.value
            } set: { @MainActor in
                self.setValue($0)
            }
        }

        /// A binding that writes with a mutation, whose layers show immediately. See ``setValue(_:via:)``.
        @MainActor public func binding<Result: Sendable>(
            via mutation: some QueryRequest<Result, MutationState<State.QueryValue, Result>>
        ) -> Binding<State.QueryValue> {
            Binding { @MainActor in
                self.state.value
            } set: { @MainActor in
                self.write($0, via: mutation)
            }
        }
    }

    extension SharedQuery where State: QueryStateProtocol {
        /// A binding to a part of the value. While there is no value, it shows `fallback` and ignores writes.
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

    extension SharedMutation {
        /// A binding that is `true` while there is an error, for an alert. Setting it to `false` dismisses the error; see
        /// ``dismissError()``.
        ///
        /// ```swift
        /// .alert("Not saved", isPresented: model.addTrip.hasError) {}
        /// ```
        @MainActor public var hasError: Binding<Bool> {
            Binding { @MainActor in
                self.error != nil
            } set: { @MainActor hasError in
                if !hasError { self.dismissError() }
            }
        }
    }
#endif
