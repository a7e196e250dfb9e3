@testable import QueryKit

extension MachineTable {
    /// A store without a run.
    static let idle = [
        MachineTable(
            "R14 a store that has never run",
            after: [],
            """
            fetch                       | start 1 manual for caller, join 1 | 1 manual w1     | +fetching by manual
            refresh                     | start 1 stale for library         | 1 stale         | +fetching by stale
            subscribe                   | start 1 subscribed for library    | 1 subscribed s1 | +fetching by subscribed
            look                        | -                                 | s1              | -
            invalidate active           | -                                 | -               | +invalidated by /a
            invalidate all              | start 1 /a for library            | 1 /a            | +fetching +invalidated by /a
            invalidate none             | -                                 | -               | +invalidated by /a
            invalidate active, disabled | -                                 | -               | +invalidated by /a
            invalidate all, disabled    | -                                 | -               | +invalidated by /a
            write                       | accept                            | -               | +success +value values 1 by written
            write, disabled             | accept                            | -               | +success +value values 1 by written
            write failure               | -                                 | -               | +failure errors 1 by written
            cancel                      | -                                 | -               | -
            reset                       | clear, settle all                 | -               | by reset
            reset, refetch              | clear, settle all                 | -               | by reset
            yield 0                     | ignored                           | -               | -
            attempt of 0 failed         | ignored                           | -               | -
            end 0 success               | ignored                           | -               | -
            begin private               | join 1                            | p1              | +fetching by manual
            """
        ),
        MachineTable(
            "R13 a store with a value",
            after: [.fetch, .end(1, .success)],
            """
            fetch                       | start 2 manual for caller, join 2 | 2 manual w1     | +fetching
            refresh                     | start 2 stale for library         | 2 stale         | +fetching by stale
            subscribe                   | start 2 subscribed for library    | 2 subscribed s1 | +fetching by subscribed
            look                        | -                                 | s1              | -
            invalidate active           | -                                 | -               | +invalidated by /a
            invalidate all              | start 2 /a for library            | 2 /a            | +fetching +invalidated by /a
            invalidate none             | -                                 | -               | +invalidated by /a
            invalidate active, disabled | -                                 | -               | +invalidated by /a
            invalidate all, disabled    | -                                 | -               | +invalidated by /a
            write                       | accept                            | -               | values 2 by written
            write, disabled             | accept                            | -               | values 2 by written
            write failure               | -                                 | -               | -success +failure errors 1 by written
            cancel                      | -                                 | -               | -
            reset                       | clear, settle all                 | -               | -success -value values 0 by reset
            reset, refetch              | clear, settle all                 | -               | -success -value values 0 by reset
            yield 0                     | ignored                           | -               | -
            attempt of 0 failed         | ignored                           | -               | -
            end 0 success               | ignored                           | -               | -
            begin private               | join 2                            | p1              | +fetching
            """
        ),
        MachineTable(
            "R1 R2 a store whose first run failed",
            after: [.fetch, .end(1, .failure)],
            """
            fetch                       | start 2 manual for caller, join 2 | 2 manual w1     | +fetching -failure failures 0
            refresh                     | start 2 stale for library         | 2 stale         | +fetching -failure failures 0 by stale
            subscribe                   | start 2 subscribed for library    | 2 subscribed s1 | +fetching -failure failures 0 by subscribed
            look                        | -                                 | s1              | -
            invalidate active           | -                                 | -               | +invalidated by /a
            invalidate all              | start 2 /a for library            | 2 /a            | +fetching +invalidated -failure failures 0 by /a
            invalidate none             | -                                 | -               | +invalidated by /a
            invalidate active, disabled | -                                 | -               | +invalidated by /a
            invalidate all, disabled    | -                                 | -               | +invalidated by /a
            write                       | accept                            | -               | +success -failure +value values 1 failures 0 by written
            write, disabled             | accept                            | -               | +success -failure +value values 1 failures 0 by written
            write failure               | -                                 | -               | errors 2 by written
            cancel                      | -                                 | -               | -
            reset                       | clear, settle all                 | -               | -failure errors 0 failures 0 by reset
            reset, refetch              | clear, settle all                 | -               | -failure errors 0 failures 0 by reset
            yield 0                     | ignored                           | -               | -
            attempt of 0 failed         | ignored                           | -               | -
            end 0 success               | ignored                           | -               | -
            begin private               | join 2                            | p1              | +fetching
            """
        ),
        MachineTable(
            "R14 an observed store with a value",
            after: [.fetch, .end(1, .success), .look],
            """
            fetch                       | start 2 manual for caller, join 2            | 2 manual w1 s1  | +fetching
            refresh                     | start 2 stale for library                    | 2 stale s1      | +fetching by stale
            subscribe                   | start 2 subscribed for library               | 2 subscribed s2 | +fetching by subscribed
            look                        | -                                            | s2              | -
            unsubscribe                 | -                                            | -               | -
            unsubscribe, finish         | -                                            | -               | -
            invalidate active           | start 2 /a for library                       | 2 /a s1         | +fetching +invalidated by /a
            invalidate all              | start 2 /a for library                       | 2 /a s1         | +fetching +invalidated by /a
            invalidate none             | -                                            | s1              | +invalidated by /a
            invalidate active, disabled | -                                            | s1              | +invalidated by /a
            invalidate all, disabled    | -                                            | s1              | +invalidated by /a
            write                       | accept                                       | s1              | values 2 by written
            write, disabled             | accept                                       | s1              | values 2 by written
            write failure               | -                                            | s1              | -success +failure errors 1 by written
            cancel                      | -                                            | s1              | -
            reset                       | clear, settle all                            | s1              | -success -value values 0 by reset
            reset, refetch              | clear, settle all, next reset for library w0 | s1              | -success -value values 0 by reset
            yield 0                     | ignored                                      | s1              | -
            attempt of 0 failed         | ignored                                      | s1              | -
            end 0 success               | ignored                                      | s1              | -
            begin private               | join 2                                       | s1 p1           | +fetching
            """
        ),
        MachineTable(
            "R17 an observed store that was only marked",
            after: [.fetch, .end(1, .success), .look, .invalidate(.none)],
            """
            fetch                       | start 2 manual for caller, join 2            | 2 manual w1 s1  | +fetching by manual
            refresh                     | start 2 stale for library                    | 2 stale s1      | +fetching by stale
            subscribe                   | start 2 subscribed for library               | 2 subscribed s2 | +fetching by subscribed
            look                        | -                                            | s2              | -
            unsubscribe                 | -                                            | -               | -
            unsubscribe, finish         | -                                            | -               | -
            invalidate active           | start 2 /a for library                       | 2 /a s1         | +fetching
            invalidate all              | start 2 /a for library                       | 2 /a s1         | +fetching
            invalidate none             | -                                            | s1              | -
            invalidate active, disabled | -                                            | s1              | -
            invalidate all, disabled    | -                                            | s1              | -
            write                       | accept                                       | s1              | -invalidated values 2 by written
            write, disabled             | accept                                       | s1              | -invalidated values 2 by written
            write failure               | -                                            | s1              | -success +failure errors 1 by written
            cancel                      | -                                            | s1              | -
            reset                       | clear, settle all                            | s1              | -invalidated -success -value values 0 by reset
            reset, refetch              | clear, settle all, next reset for library w0 | s1              | -invalidated -success -value values 0 by reset
            yield 0                     | ignored                                      | s1              | -
            attempt of 0 failed         | ignored                                      | s1              | -
            end 0 success               | ignored                                      | s1              | -
            begin private               | join 2                                       | s1 p1           | +fetching by manual
            """
        ),
    ]
}
