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
    /// Throws if the name, or the path as text, differs in each launch.
    func nameOnDisk(at path: QueryPath) throws -> String {
        let identity = identity
        let name: String
        if let key = identity.value(as: (any InlineIdentity).self) {
            name = key.storedName
        } else {
            name = type(of: identity.value(as: (any QueryRequest).self) ?? unwrapped).storedName
        }
        try QueryError.refuse(name, ifFleeting: name, declaring: #"`static let storedName = "…"`"#, at: path)
        for element in path.elements where element.text == nil {
            try QueryError.refuse(name, ifFleeting: element.unredacted, declaring: "`path`", at: path)
        }
        return name
    }
}

extension QueryError {
    /// Refuses to write the calls of a mutation to a journal under a name that differs in each launch.
    static func refuse(mutation name: String) throws {
        try refuse(name, ifFleeting: name, declaring: #"`static let journalName = "…"`"#)
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
