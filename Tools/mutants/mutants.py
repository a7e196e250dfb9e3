#!/usr/bin/env python3
"""Makes small errors in the core, one at a time, and expects the tests to fail.

    mutants.py [--count 60] [--seed N] [--only ID,…] [--code TEXT]…

All mutants of a draw are compiled into one copy of the package, each behind a switch in the environment (QUERYKIT_MUTANT=17), so a draw
needs one build and a run of the tests for each mutant, which stops at the first failure. The verdict is killed, survived, or equivalent,
if equivalent.txt says why no test can detect it. A mutant that doesn't build is replaced. Exit code 1 if a mutant survived without a reason.
"""
import argparse, glob, os, random, re, select, shutil, signal, subprocess, sys, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.dirname(os.path.abspath(__file__))
CLONE = os.path.join(ROOT, ".build-mutants")
CORE = "Sources/QueryKit"

# The machine, the registry, the layers and the delivery. Each pattern must match a file.
TARGETS = [
    "Store/Machine/RunMachine*.swift", "Store/Contents/StoreContents*.swift", "Store/Contents/LayerStack.swift", "Store/Core/LoneRun.swift",
    "Store/Delivery/Outbox.swift", "Store/Delivery/Delivery.swift", "Store/Delivery/QuietWrite.swift",
    "Client/Core/StoreRegistry*.swift", "Client/Core/ClientCore+Changes.swift", "Client/Core/PatternFeed.swift",
]

SWITCH = """\
#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The active mutant of this build.
enum Mutant {
    private static let active = getenv("QUERYKIT_MUTANT").map { Int(atol($0)) } ?? 0

    static func isActive(_ number: Int) -> Bool { number == active }
}
"""

# MARK: Finding places


def balanced(text):
    depth = 0
    for char in strip_strings(text):
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
            if depth < 0:
                return False
    return depth == 0


def strip_strings(text):
    return re.sub(r'"(\\.|[^"\\])*"', '""', text)


def clauses(condition):
    """Splits the condition of an if or a guard at its outer commas."""
    parts, depth, start = [], 0, 0
    for index, char in enumerate(condition):
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append((start, index))
            start = index + 1
    parts.append((start, len(condition)))
    return [(begin, end, condition[begin:end].strip()) for begin, end in parts]


KEYWORDS = r"(return|case|default|let|var|if|guard|else|for|while|switch|func|defer|throw|do|try|await|precondition|assert|import|init|get|set)\b"


def is_call(lines, index):
    """Whether a line is a whole statement that calls something."""
    line = lines[index].strip()
    if re.match(KEYWORDS, line) or not re.match(r"[A-Za-z_][\w.?!\[\]]*\(.*\)$", line) or not balanced(line):
        return False
    before = next((text.strip() for text in reversed(lines[:index]) if text.strip() and not text.strip().startswith("//")), "")
    after = next((text.strip() for text in lines[index + 1:] if text.strip()), "")
    return (not re.search(r"([,(\[.=+?&|-]|\bin|\breturn)$", before) or before.endswith(" in")) and not re.match(r"[.&|?+:,-]|else|\{", after)


CONDITION = re.compile(r"^(\s*(?:\} else )?)(if|guard)( )(.+?)( else \{.*| \{.*| else)$")
VERSION = re.compile(r"(number|revision|asOf|changedAt|version|Number|owner|session|lastShown|changes)", re.I)


def sites(path, lines):
    """All places of a file, as (operator, line index, replacement by number)."""
    found = []
    for index, line in enumerate(lines):
        text = line.strip()
        if not text or text.startswith("//") or text.startswith("#"):
            continue
        if is_call(lines, index):
            found.append(("drop a call", index, lambda n, line=line: [re.sub(r"^(\s*)(.*)$", rf"\1if !Mutant.isActive({n}) {{ \2 }}", line)]))
            if index + 1 < len(lines) and is_call(lines, index + 1) and indent(line) == indent(lines[index + 1]) and text != lines[index + 1].strip():
                other = lines[index + 1].strip()
                found.append((
                    "swap two actions", index,
                    lambda n, line=line, text=text, other=other: [
                        f"{indent(line)}if Mutant.isActive({n}) {{ {other}; {text} }} else {{ {text}; {other} }}", ""],
                ))
        match = CONDITION.match(line)
        if match and balanced(match[4]):
            for begin, end, clause in clauses(match[4]):
                if not clause or re.match(r"(let|var|case|#|await|try)\b", clause) or re.search(r"\b(await|try)\b|\{", clause):
                    continue
                def change(n, form, match=match, begin=begin, end=end, clause=clause):
                    condition = match[4]
                    space = " " if condition[begin:end].startswith(" ") else ""
                    new = form.format(clause=clause, active=f"Mutant.isActive({n})")
                    return [match[1] + match[2] + match[3] + condition[:begin] + space + new + condition[end:] + match[5]]
                found.append(("negate a condition", index, lambda n, change=change: change(n, "({clause}) != {active}")))
                if re.search(r" (==|!=|===|!==|<|>|<=|>=) ", clause) and VERSION.search(clause):
                    form = "({clause} || {active})" if match[2] == "guard" else "({clause} && !{active})"
                    found.append(("skip a version comparison", index, lambda n, change=change, form=form: change(n, form)))
        for number in re.finditer(r"(?:(?<= [+\-<>] )|(?<= [=><!+-]= ))(\d+)\b(?![.\w])", line) if '"' not in line else []:
            value = int(number[1])
            found.append((
                "off by one", index,
                lambda n, line=line, number=number, value=value: [
                    f"{line[:number.start()]}(Mutant.isActive({n}) ? {value + 1} : {value}){line[number.end():]}"],
            ))
    return [(path, operator, index, make) for operator, index, make in found]


def indent(line):
    return line[: len(line) - len(line.lstrip())]


# MARK: The copy


def package():
    text = open(os.path.join(ROOT, "Package.swift")).read()
    settings = re.search(r"let settings: \[SwiftSetting\] = \[.*?\n\]", text, re.S)[0]
    platforms = re.search(r"platforms: \[.*?\]", text)[0]
    return f"""// swift-tools-version: 6.2
import PackageDescription

{settings}

let package = Package(
    name: "QueryKit",
    {platforms},
    targets: [
        .target(name: "QueryKit", swiftSettings: settings),
        .target(name: "QueryKitTesting", dependencies: ["QueryKit"], swiftSettings: settings),
        .target(name: "TestSupport", dependencies: ["QueryKit"], path: "Tests/TestSupport", swiftSettings: settings),
        .testTarget(name: "QueryKitTests", dependencies: ["QueryKit", "QueryKitTesting", "TestSupport"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
"""


def write(path, text):
    """Writes a file only if it differs, so that little is rebuilt."""
    if not os.path.exists(path) or open(path).read() != text:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        open(path, "w").write(text)


def copy(mutated):
    """Updates the copy; `mutated` has the text of changed files."""
    wanted = {os.path.join(CLONE, "Package.swift"): package(), os.path.join(CLONE, CORE, "Foundations/Mutant.swift"): SWITCH}
    for folder in [CORE, "Sources/QueryKitTesting", "Tests/TestSupport", "Tests/QueryKitTests"]:
        for path in glob.glob(os.path.join(ROOT, folder, "**/*.swift"), recursive=True):
            name = os.path.relpath(path, ROOT)
            wanted[os.path.join(CLONE, name)] = mutated.get(name) or open(path).read()
    for path in glob.glob(os.path.join(CLONE, "[ST]*/**/*.swift"), recursive=True):
        if path not in wanted:
            os.remove(path)
    for path, text in wanted.items():
        write(path, text)


def apply(sources, mutants):
    """The text of each file with its mutants, and the lines of each mutant."""
    texts, places = {}, {}
    for path, lines in sources.items():
        new = list(lines)
        for number, (name, _, index, make) in mutants.items():
            if name == path:
                replacement = make(number)
                new[index : index + len(replacement)] = replacement
                for offset in range(len(replacement)):
                    places[path, index + offset + 1] = number
        if new != lines:
            texts[path] = "\n".join(new)
    return texts, places


def build():
    """Builds the copy; returns the output if the build fails."""
    command = ["swift", "build", "--build-tests", "--package-path", CLONE]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=clean_environment())
    return None if result.returncode == 0 else result.stdout


def clean_environment():
    return {key: value for key, value in os.environ.items() if not key.startswith("QUERYKIT_")}


# MARK: The tests


def run(number, limit, silence_limit):
    """Runs the tests with a mutant, for at most `limit` seconds, and at most `silence_limit` seconds without output.

    Returns why it counts as killed, or None, the seconds it took, and the longest silence."""
    bundle = os.path.join(CLONE, ".build/debug/QueryKitPackageTests.xctest")
    # One suite reads the sources of modules that are not in the copy.
    chosen = ["--filter", r"QueryKitTests\.", "--skip", "QueryContextNamesTests"]
    command = [bundle, "--testing-library", "swift-testing", *chosen]
    if sys.platform == "darwin":
        command = ["swift", "test", "--skip-build", "--package-path", CLONE, *chosen]
    environment = clean_environment() | {"QUERYKIT_MUTANT": str(number)}
    started = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment, cwd=CLONE, start_new_session=True)
    verdict, rest, summary, heard, silence = None, b"", False, started, 0
    while verdict is None:
        now = time.monotonic()
        if now - started > limit:
            verdict = f"the tests did not end within {limit:.0f} s"
            break
        if now - heard > silence_limit:
            verdict = f"no test began or ended for {silence_limit:.0f} s"
            break
        if not select.select([process.stdout], [], [], 1)[0]:
            continue
        data = os.read(process.stdout.fileno(), 65536)
        if not data:
            break
        heard, silence = time.monotonic(), max(silence, time.monotonic() - heard)
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            text = line.decode(errors="replace")
            summary = summary or "Test run with" in text
            if verdict is None and (match := re.search(r"Test (.*?) (?:with .* )?recorded an issue", text)):
                verdict = match[1].strip('"')
    if verdict:
        os.killpg(process.pid, signal.SIGKILL)
    code = process.wait()
    if not verdict and (code != 0 or not summary):
        verdict = f"the process ended with code {code}"
    return verdict, time.monotonic() - started, silence


# MARK: One draw


def read_equivalent():
    known = {}
    for line in open(os.path.join(HERE, "equivalent.txt")):
        if line.strip() and not line.startswith("#"):
            path, operator, code, reason = [part.strip() for part in line.split(" | ", 3)]
            known[path, operator, code] = reason
    return known


def main():
    parser = argparse.ArgumentParser(description="Breaks the core in small ways and expects the tests to notice.")
    parser.add_argument("--count", type=int, default=60, help="number of mutants; default 60")
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000), help="selects the mutants; default: random, printed")
    parser.add_argument("--only", help="only these numbers of the draw, such as 3,17")
    parser.add_argument("--code", action="append", help="only lines with this text, to repeat a mutant after the code has changed; may be repeated")
    options = parser.parse_args()
    print(f"seed {options.seed} (to repeat: --seed {options.seed} --count {options.count})", flush=True)

    sources, all_sites = {}, []
    for pattern in TARGETS:
        paths = sorted(glob.glob(os.path.join(ROOT, CORE, pattern)))
        if not paths:
            sys.exit(f"error: no file matches {CORE}/{pattern}: adjust TARGETS in Tools/mutants/mutants.py")
        for path in paths:
            name = os.path.relpath(path, ROOT)
            sources[name] = open(path).read().split("\n")
            all_sites += sites(name, sources[name])
    known = read_equivalent()
    codes = {(name[len(CORE) + 1:], operator, sources[name][index].strip()) for name, operator, index, _ in all_sites}
    for gone in known.keys() - codes:
        print(f"note: equivalent.txt names a place that no longer exists: {' | '.join(gone)}")
    if options.code:
        all_sites = [site for site in all_sites if any(text in sources[site[0]][site[2]] for text in options.code)]
    print(f"{len(all_sites)} places in {len(sources)} files", flush=True)

    # Alternates between operators, so that rare ones are drawn, too; never two on one line.
    dice = random.Random(options.seed)
    by_operator = {}
    for site in all_sites:
        by_operator.setdefault(site[1], []).append(site)
    for group in by_operator.values():
        dice.shuffle(group)

    taken, mutants, last = set(), {}, 0

    def draw():
        nonlocal last
        while len(mutants) < options.count and any(by_operator.values()):
            for operator in sorted(by_operator):
                while by_operator[operator] and len(mutants) < options.count:
                    site = by_operator[operator].pop()
                    lines = {(site[0], site[2]), (site[0], site[2] + 1)} if operator == "swap two actions" else {(site[0], site[2])}
                    if lines & taken:
                        continue
                    taken.update(lines)
                    last += 1
                    mutants[last] = site
                    break

    draw()
    while True:
        texts, places = apply(sources, mutants)
        copy(texts)
        print(f"building {len(mutants)} mutants", flush=True)
        output = build()
        if output is None:
            break
        # The compiler reports a missing return at the end of the body, a line or two below the mutant.
        bad = set()
        for path, line in re.findall(r"^(\S+?\.swift):(\d+):\d+: error:", output, re.M):
            near = (places.get((os.path.relpath(path, CLONE), int(line) - offset)) for offset in range(3))
            bad.add(next((number for number in near if number), None))
        bad.discard(None)
        if not bad:
            print(output[-4000:])
            sys.exit("error: the copy doesn't build, and no mutant is the reason")
        for number in sorted(bad):
            name, operator, index, _ = mutants.pop(number)
            print(f"  did not build, replaced: {operator}, {name}:{index + 1}", flush=True)
        draw()

    reason, base, silence = run(0, 600, 600)
    if reason:
        sys.exit(f"error: the tests fail without a mutant: {reason}")
    limit, silence_limit = max(60, 3 * base), max(30, 3 * silence)
    print(f"without a mutant the tests take {base:.0f} s, with at most {silence:.0f} s without output", flush=True)

    counts, chosen = {}, {int(number) for number in options.only.split(",")} if options.only else set(mutants)
    for place, number in enumerate(sorted(chosen & set(mutants)), 1):
        name, operator, index, make = mutants[number]
        code = sources[name][index].strip()
        reason, seconds, _ = run(number, limit, silence_limit)
        explained = known.get((name[len(CORE) + 1:], operator, code))
        verdict = "killed" if reason else "equivalent" if explained else "SURVIVED"
        counts[verdict] = counts.get(verdict, 0) + 1
        print(f"{place:3}/{len(chosen)} {verdict:10} {seconds:4.0f} s  #{number} {operator}, {name}:{index + 1}", flush=True)
        print(f"            {reason or explained or code}", flush=True)
        if verdict == "SURVIVED":
            print(f"            mutated: {' '.join(make(number)).strip()}", flush=True)
    print(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    sys.exit(1 if counts.get("SURVIVED") else 0)


if __name__ == "__main__":
    main()
