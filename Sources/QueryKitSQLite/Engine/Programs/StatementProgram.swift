/// The program that SQLite generated for a statement, as shown by `EXPLAIN`.
struct StatementProgram {
    struct Instruction {
        let operation: String
        let p1: Int
        let p2: Int
        let p3: Int
        var p4 = ""
        /// Its index in the program.
        var address = 0

        /// Whether it opens a tree of the database for reading.
        var isOpening: Bool { operation == "OpenRead" && p3 == 0 }
    }

    /// A b-tree with its root page: the rows of a table, or an index.
    struct Tree {
        let table: String
        /// The name of the table or the index.
        let name: String
        /// False for an index.
        let holdsRows: Bool
        /// The positions in the table of the columns that the tree's contents and order depend on; `nil` if unknown.
        var columns: [Int]?
        /// The position in the table of each column of the tree, in the tree's order; -1 for the row id.
        var positions: [Int] = []
        /// The names of the table's columns, by their positions.
        var names: [Int: String] = [:]
        /// The columns of a unique index, in its order; empty for other trees.
        var unique: [IndexColumn] = []
        /// The leading columns of the tree's order, as far as the order is supported: ascending, with texts compared by their bytes. Empty
        /// for tables with row ids.
        var order: [IndexColumn] = []
    }

    /// A column of an index.
    struct IndexColumn: Hashable, Sendable {
        let name: String
        /// The collation that compares its texts.
        let collation: String
        /// `nil` if unknown.
        let affinity: Affinity?
    }

    /// The conversion that SQLite applies to a value before it compares it with a column.
    enum Affinity: Hashable, Sendable {
        case number, real, text, none

        /// Returns `nil` if the type has different meanings in different kinds of tables.
        init?(ofType type: String) {
            let type = type.uppercased()
            if type == "ANY" { return nil }
            if type.contains("INT") {
                self = .number
            } else if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) {
                self = .text
            } else if type.isEmpty || type.contains("BLOB") {
                self = .none
            } else {
                self = ["REAL", "FLOA", "DOUB"].contains(where: type.contains) ? .real : .number
            }
        }
    }

    let instructions: [Instruction]

    /// The instructions that open a tree.
    let openings: [Instruction]
    let trees: [Int: Tree]
    /// The instructions that may write each register.
    let writers: [Int: [Instruction]]
    /// The instructions that use each cursor.
    let cursors: [Int: [Instruction]]
    /// The registers whose values are converted in place to another type (`conversions`), and those that get the affinity of a column
    /// (`affinities`).
    let conversions: Set<Int>
    let affinities: Set<Int>

    /// Returns `nil` if an instruction is unknown.
    init?(_ instructions: [Instruction], _ trees: [Int: Tree]) {
        var writers: [Int: [Instruction]] = [:]
        var cursors: [Int: [Instruction]] = [:]
        var instructions = instructions
        for address in instructions.indices {
            instructions[address].address = address
            let instruction = instructions[address]
            guard let effect = InstructionEffect(of: instruction) else { return nil }
            for register in effect.registers { writers[register, default: []].append(instruction) }
            for cursor in effect.cursors { cursors[cursor, default: []].append(instruction) }
        }
        conversions = Set(instructions.filter { ["Cast", "RealAffinity", "MustBeInt"].contains($0.operation) }.map(\.p1))
        affinities = Set(instructions.filter { $0.operation == "Affinity" }.flatMap { $0.p1..<$0.p1 + max(1, $0.p2) })
        openings = instructions.filter(\.isOpening)
        (self.instructions, self.trees, self.writers, self.cursors) = (instructions, trees, writers, cursors)
    }
}

/// The registers that an instruction may write, and the cursors that it uses.
struct InstructionEffect {
    var registers: [Int] = []
    var cursors: [Int] = []

    /// Returns `nil` for an unknown instruction: of a later SQLite version, of a virtual table, or one that writes to the file.
    init?(of instruction: StatementProgram.Instruction) {
        let (p1, p2, p3) = (instruction.p1, instruction.p2, instruction.p3)
        switch instruction.operation {
        // Control flow, comparisons, and conversions that keep the value of a row id.
        case "Init", "Goto", "Halt", "HaltIfNull", "Transaction", "TableLock", "Return", "Once", "If", "IfNot", "IsNull",
            "NotNull",
            "IsType", "Eq", "Ne", "Lt", "Le", "Gt", "Ge", "ElseEq", "ElseNotEq", "Jump", "Compare", "Permutation", "Noop", "Explain",
            "MustBeInt", "RealAffinity", "Affinity", "Cast", "ResultRow", "Filter", "ClrSubtype", "ReleaseReg", "Abortable", "CursorHint":
            break
        case "IfPos", "IfNotZero", "DecrJumpZero", "AddImm", "Gosub", "InitCoroutine", "EndCoroutine", "Yield", "CollSeq", "FilterAdd",
            "RowSetAdd",
            "RowSetTest",
            "AggFinal", "SoftNull", "MemMax":
            registers = [p1]
        case "Variable", "Integer", "Int64", "Real", "String", "String8", "Blob", "Not", "BitNot", "IsTrue", "ZeroOrNull", "SCopy",
            "IntCopy",
            "GetSubtype", "SetSubtype", "OffsetLimit":
            registers = [p2]
        case "Function", "PureFunc", "Add", "Subtract", "Multiply", "Divide", "Remainder", "Concat", "BitAnd", "BitOr", "ShiftLeft",
            "ShiftRight", "And", "Or", "MakeRecord", "AggStep", "AggStep1", "AggInverse", "AggValue":
            registers = [p3]
        case "RowSetRead":
            registers = [p1, p3]
        case "Null", "BeginSubrtn":
            registers = Array(p2...max(p2, p3))
        case "Copy":
            registers = Array(p2...p2 + max(0, p3))
        case "Move":
            registers = Array(p1..<p1 + max(1, p3)) + Array(p2..<p2 + max(1, p3))
        case "OpenRead", "OpenAutoindex", "SorterOpen", "Close", "Rewind", "Last", "Next", "Prev", "Sort", "SorterSort",
            "SorterNext",
            "SorterInsert", "SorterCompare", "ResetSorter", "SeekRowid", "NotExists", "SeekGE", "SeekGT", "SeekLE", "SeekLT", "SeekScan",
            "SeekHit",
            "Found", "NotFound", "NoConflict", "IfNoHope", "IfNotOpen", "IfSmaller", "IfSizeBetween", "IdxGE", "IdxGT", "IdxLE", "IdxLT",
            "IdxInsert",
            "NullRow", "SequenceTest", "FinishSeek":
            cursors = [p1]
        case "OpenPseudo":
            cursors = [p1]
        case "OpenEphemeral":
            // The register receives an empty value for later inserts.
            (registers, cursors) = (p3 > 0 ? [p3] : [], [p1])
        case "OpenDup":
            cursors = [p1, p2]
        case "DeferredSeek":
            cursors = [p1, p3]
        case "Rowid", "IdxRowid", "Count", "Sequence", "RowData":
            (registers, cursors) = ([p2], [p1])
        case "SorterData":
            (registers, cursors) = ([p2], [p1, p3])
        case "Column", "IfNullRow", "Offset":
            (registers, cursors) = ([p3], [p1])
        default:
            return nil
        }
    }
}
