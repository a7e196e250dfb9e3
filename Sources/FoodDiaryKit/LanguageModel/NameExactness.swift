/// How exactly a text matches the name of an ingredient. The first case is the most exact. An alias counts less than a name, and accents
/// may be missing.
enum NameExactness: CaseIterable {
    case name, alias, nameWithoutAccents, aliasWithoutAccents, otherNumber
}

extension Ingredient {
    /// Whether the ingredient has this name at a given exactness.
    func isCalled(_ name: String, _ exactness: NameExactness) -> Bool {
        let words = SearchText.words(of: name)
        func has(_ labels: [String], _ part: KeyPath<SearchWord, String>) -> Bool {
            labels.contains { label in
                if words.isEmpty {
                    return SearchText.words(of: label).isEmpty && SearchText.key(of: [], label) == SearchText.key(of: [], name)
                }
                return SearchText.words(of: label).map { $0[keyPath: part] } == words.map { $0[keyPath: part] }
            }
        }
        switch exactness {
        case .name: return has([self.name], \.plain)
        case .alias: return has(aliases, \.plain)
        case .nameWithoutAccents: return has([self.name], \.folded)
        case .aliasWithoutAccents: return has(aliases, \.folded)
        case .otherNumber: return ([self.name] + aliases).contains { SearchText.words(of: $0).isSame(as: words.map(\.folded)) }
        }
    }

    /// Whether the ingredient has this name at any exactness.
    func isCalled(_ name: String) -> Bool { NameExactness.allCases.contains { isCalled(name, $0) } }
}

extension [SearchWord] {
    /// Whether both are the same words, ignoring singular and plural: slices and slice.
    func isSame(as others: [String]) -> Bool {
        !isEmpty && count == others.count
            && zip(self, others).allSatisfy { own, other in
                own.folded == other || WordForms.singulars(of: other).contains(own.folded)
                    || WordForms.singulars(of: own.folded).contains(other)
            }
    }
}
