/// A request that wraps another one without conforming to the other protocols of the wrapped request.
@usableFromInline
protocol RequestWrapper {
    var wrapped: any QueryRequest { get }
}

extension QueryRequest {
    /// The request without its modifiers.
    var unwrapped: any QueryRequest { (self as? any RequestWrapper)?.wrapped.unwrapped ?? self }

    /// The name of the request in caches and archives, which is that of the request whose identity it has.
    ///
    /// Throws if the name, or the path as text, differs in each launch, and if another type has the name.
    func nameOnDisk(at path: QueryPath, in context: QueryContext) throws -> String {
        let identity = identity
        let name: String
        let type: Any.Type
        if let key = identity.value(as: (any InlineIdentity).self) {
            (name, type) = (key.storedName, Swift.type(of: key))
        } else {
            let request = Swift.type(of: identity.value(as: (any QueryRequest).self) ?? unwrapped)
            (name, type) = (request.storedName, request)
        }
        let member = #"`static let storedName = "…"`"#
        try QueryError.refuse(name, ifFleeting: name, declaring: member, at: path)
        try context.owner?.shared?.storedNames.take(name, for: type, declaring: member, at: path)
        for element in path.elements where element.text == nil {
            try QueryError.refuse(name, ifFleeting: element.unredacted, declaring: "`path`", at: path)
        }
        return name
    }
}

extension QueryError {
    /// Refuses to write the calls of a mutation to a journal under a name that differs in each launch, or that another type has.
    static func refuse(mutation name: String, of type: Any.Type, in share: ClientShare?) throws {
        let member = #"`static let journalName = "…"`"#
        try refuse(name, ifFleeting: name, declaring: member)
        try share?.journalNames.take(name, for: type, declaring: member)
    }

    /// Refuses to store something under a text that differs in each launch.
    static func refuse(_ name: String, ifFleeting text: String, declaring member: String, at path: QueryPath? = nil) throws {
        guard TypeName.isFleeting(text) else { return }
        throw QueryError(
            .invalidParameters,
            """
            \(TypeName.insideModule(name)) can't be stored under the name of a private or local type, because that name differs in each \
            launch. Declare \(member) in it, or make the type internal.
            """,
            path: path
        )
    }
}

/// The names under which a client stores something, each with the type that has used it first (R36).
final class NamesOnDisk: Sendable {
    private let types = Lock<[String: String]>([:])

    /// Throws if another type has used the name.
    func take(_ name: String, for type: Any.Type, declaring member: String, at path: QueryPath? = nil) throws {
        let own = TypeName(type).whole
        let first = types.withLock { types in
            let first = types[name] ?? own
            types[name] = first
            return first
        }
        if first == own { return }
        throw QueryError(
            .invalidParameters,
            "\(own) can't be stored under the name \(name), because \(first) has the same. Declare another \(member) in one of them.",
            path: path
        )
    }
}
