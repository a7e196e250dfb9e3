#!/usr/bin/env bash
# Breaks one thing at a time in a copy of the tree, and runs the check that must detect it. Prints a table; fails if a check passed, or failed
# with another message than the expected one.
#   selftest.sh           all sabotages, which builds the core and the site of the documentation
#   selftest.sh PATTERN   those whose "check: name" matches; ^(house|pages|samples): takes two minutes
set -euo pipefail
cd "$(dirname "$0")/.."

only=${1:-.}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
copy=$work/tree
mkdir "$copy"
tar -c --exclude='.build*' --exclude=.git . | tar -x -C "$copy"
failed=0

row() {
    printf '%-9s %-62s %s\n' "$1" "${2//$'\n'/; }" "$3"
    [ "$3" = noticed ] || [ "$3" = passes ] || { failed=1; sed 's/^/          | /' <<<"${4:-}" | tail -n 15; }
}

# sabotage CHECK NAME FILE EDIT MESSAGE, with the command of the check in the variable of that name. EDIT is Perl code that changes the text of
# the file, $_, or "+" and lines to append.
sabotage() {
    local check=$1 name=$2 file=$copy/$3 edit=$4 message=$5 output='' result=noticed
    [[ "$check: $name" =~ $only ]] || return 0
    cp "$file" "$work/kept"
    if [ "${edit:0:1}" = + ]; then echo "${edit:1}" >>"$file"; else perl -CSD -Mutf8 -0777 -i -pe "$edit" "$file"; fi
    if cmp -s "$file" "$work/kept"; then
        result='THE EDIT CHANGES NOTHING'
    elif output=$(cd "$copy" && bash -c "${!check}" 2>&1 </dev/null); then
        result='PASSED UNNOTICED'
    elif ! grep -qF -- "$message" <<<"$output"; then
        result='FAILED FOR ANOTHER REASON'
    fi
    cp "$work/kept" "$file"
    row "$check" "$name" "$result" "$output"
}

# The check must pass as long as nothing is broken: unbroken CHECK
unbroken() {
    local output result=passes
    [[ "$1:" =~ $only ]] || return 0
    output=$(cd "$copy" && bash -c "${!1}" 2>&1 </dev/null) || result='FAILS WITHOUT A SABOTAGE'
    row "$1" "(nothing is broken)" "$result" "$output"
}

# --- House rules ---

house='python3 -B Tools/lint/house.py'
core=Sources/QueryKit/Client/QueryClient.swift
suite=Tests/QueryKitTests/Client/FreshnessTests.swift
unbroken house
for code in 'final class A: @unchecked Sendable {}' 'nonisolated(unsafe) var a = 1' 'let b = unsafeBitCast(a, to: B.self)' 'fatalError("a")' \
    $'// Because.\nfatalError("a")' $'// Invariant: of another line.\nlet z = 1\nfatalError("a")'; do
    sabotage house "$code" $core "+$code" 'unchecked code without a reason'
done
for code in 'let a = b!' 'let a = b![0]' 'let a = f("\(b!)")' 'let a = b as! C' 'let a = try! b()' 'var a: B!' $'/// A value.\nvar a: [B]!'; do
    sabotage house "$code" $core "+$code" 'unwrapped or tried by force'
done
for code in 'print("a")' 'debugPrint(a)' 'let a = { dump($0) }'; do
    sabotage house "$code" $core "+$code" 'a library that prints'
done
for code in 'try await Task.sleep(for: .seconds(1))' 'Task<Never, Never>.sleep(1)' 'Thread.sleep(forTimeInterval: 1)' '_ = usleep(10)' 'sleep(1)'; do
    sabotage house "$code" $suite "+$code" 'a test that sleeps'
done
for code in '@Test(.disabled()) func a() {}' '@Suite(.disabled("it fails")) struct A {}' '@Test(.disabled(if: isSlow, "slow")) func a() {}'; do
    sabotage house "$code" $suite "+$code" 'a disabled test without its issue'
done
for word in TODO FIXME XXX; do
    sabotage house "$word" Snippets/FirstUse.swift "+// $word: later" 'an unfinished note'
done
for line in 'race:QueryKit' 'race:^' 'race_top:*' 'race_top:with*' 'race:StoreCore.swift' 'called_from_lib:libswiftCore.so' 'leak:swift' \
    'race:withUnsafeContinuation'; do
    sabotage house "$line" Tools/tsan-suppressions.txt "+$line" "a suppression that Tools/lint/house.py doesn't list"
done
sabotage house 'a long file' $core '$_ .= "\n" x 500' 'more than 500 lines'
sabotage house 'a long comment' $suite '$_ .= "/// " . "é" x 137' 'a comment of more than 140 characters'
for words in somebody nobody whoever whatever anew meanwhile 'can not' 'answers with' 'of which' 'lies in' 'stands in'; do
    sabotage house "six times: $words" README.md "\$_ .= 'The $words. ' x 6" "\"$words\" occurs"
done
sabotage house 'a phrase over two lines of a comment' $core '$_ .= "// The part of\n// which\n" x 6' '"of which" occurs'
sabotage house 'a word in the name of a test' $suite '$_ .= "\@Test func `R1 a store runs anew`() {}\n" x 6' '"anew" occurs'
sabotage house 'a word in a comment of a sample' $core '$_ .= "/// ```\n/// // Anew.\n/// ```\n" x 6' '"anew" occurs'

# --- Pages ---

pages='python3 -B Tools/lint/pages.py'
unbroken pages
claims=Documentation/Claims.md
sabotage pages 'a claim with a suite that does not exist' $claims 's/`RunTests`/`GoneTests`/' 'there is no GoneTests'
sabotage pages 'a claim with a file that does not exist' $claims 's/`Tools.lint.house.py`/`Tools\/gone.py`/' 'there is no Tools/gone.py'
sabotage pages 'a claim with a benchmark that does not exist' $claims 's/`fetch.fresh`/`fetch.gone`/' 'there is no benchmark fetch.gone'
sabotage pages 'a suite that is renamed' Tests/QueryKitTests/Store/Runs/RunTests.swift 's/struct RunTests/struct RunsTests/' 'there is no RunTests'
sabotage pages 'a dead link' ARCHITECTURE.md '+See [this](Documentation/Gone.md).' 'the link Documentation/Gone.md leads to no file'
sabotage pages 'a dead link in an article' Sources/QueryKit/QueryKit.docc/Pages.md '+See [this](Gone.md).' 'the link Gone.md leads to no file'
sabotage pages 'a dead image' README.md '+![A picture](Gone.svg)' 'the link Gone.svg leads to no file'
sabotage pages 'a dead anchor' README.md '+See [this](ARCHITECTURE.md#gone).' 'the link ARCHITECTURE.md#gone leads to no heading'
sabotage pages 'a heading that is renamed' Benchmarks/README.md 's/^## Results/## Figures/m' 'README.md#results leads to no heading'
sabotage pages 'a long README' README.md '$_ .= "\n" x 5' 'more than 150 lines'
sabotage pages 'a wide README' README.md 's/$/"x" x 161/e' 'more than 160 columns'

# --- Samples and acts ---

samples='python3 -B Tools/lint/samples.py --check'
unbroken samples
article=Sources/QueryKit/QueryKit.docc/Pages.md
sample=Snippets/FirstUse.swift
act=Examples/Sources/DemoActs/Acts/Backoff.swift
first='<!-- Snippets/FirstUse.swift: model -->'
sabotage samples 'a sample that changes' $sample 's/var title: String/var name: String/' '+    var name: String'
sabotage samples 'the sample of the README that changes' Snippets/TripsScreen.swift 's/struct TripsView/struct View/' 'README.md:1: differs'
sabotage samples 'a block that is edited by hand' Sources/QueryKit/QueryKit.docc/Defaults.md 's/storeLimit = 1_000/storeLimit = 10/' 'Defaults.md:1: differs'
sabotage samples 'a README without a sample' README.md 's/<!-- Snippets/<!-- Samples/' 'README.md:1: no sample is shown'
sabotage samples 'a marker without its block' $article "+$first" 'Pages.md:1: differs'
sabotage samples 'a sample that does not exist' $article '+<!-- Snippets/Gone.swift: model -->' 'there is no Snippets/Gone.swift'
sabotage samples 'a part that does not exist' $article '+<!-- Snippets/FirstUse.swift: gone -->' 'FirstUse.swift has no part gone'
sabotage samples 'a sample that is too long' $article '+<!-- Snippets/FirstUse.swift -->' 'shows more than 45 lines'
sabotage samples 'a marker that is misspelled' $article '+<!--Snippets/FirstUse.swift: model-->' 'to show a sample, write a line like'
sabotage samples 'a marker with text behind it' $article "+$first See." 'to show a sample, write a line like'
sabotage samples "a marker of DocC" $article '+@Snippet(path: "Snippets/FirstUse", slice: "model")' 'to show a sample, write a line like'
sabotage samples 'a block that is not closed' $article '$_ .= "\n```swift\nlet a = 1\n"' 'the block of code is not closed'
sabotage samples 'code that is too wide' $article '$_ .= "\n```text\n" . "x" x 73 . "\n```\n"' 'code with more than 72 columns'
sabotage samples 'a part that begins twice' $sample '+// snippet.model' 'the part model begins twice'
sabotage samples 'a part with text behind its name' $sample '+// snippet.other One change.' 'text after the name of the part'
sabotage samples 'a part without lines' $sample 's/(snippet.model\n).*?(\/\/ snippet.end)/$1$2/s' 'shows nothing in model'
sabotage samples 'an act that changes' $act 's/limit: 3/limit: 4/' '+                    limit: 4,'
sabotage samples 'an act that is not shown to its end' $act '+// snippet.show' 'a part has no end'
sabotage samples 'an act that ends twice' $act '+// snippet.hide' "the marker doesn't fit the one before it"
sabotage samples 'an act that shows nothing' $act 's/.*snippet.*\n//g' 'no part is shown'
sabotage samples 'an act with an empty first line' $act 's/snippet.show\n/snippet.show\n\n/' 'an empty line at the begin or end'
sabotage samples 'an act that is too wide' $act 's/limit: 3/"limit: 3" . "3" x 50/e' '58 columns'
sabotage samples 'an act that is too long' $act 's/(\/\/ Without.*\n)/$1 x 31/e' 'more than 30 lines'

# --- The steps that run tests, with tests of their own: swift builds only these, and prints what these print ---

mkdir -p "$copy/.mini/Tests/MiniTests" "$work/bin"
cat >"$copy/.mini/Package.swift" <<'SWIFT'
// swift-tools-version: 6.2
import PackageDescription

let package = Package(name: "Mini", targets: [.testTarget(name: "MiniTests")])
SWIFT
cat >"$copy/.mini/Tests/MiniTests/MiniTests.swift" <<'SWIFT'
import Testing

@Suite struct FirstTests { @Test func a() {} }
@Suite struct SecondTests { @Test func b() {} }
SWIFT
cat >"$work/bin/swift" <<SHELL
#!/usr/bin/env bash
case \$1-\${*: -1} in
    build---show-bin-path) echo "$work" ;;
    build-* | run-*) ;;
    test-*) exec "$(command -v swift)" test --package-path "$copy/.mini" ;;
    *) exec "$(command -v swift)" "\$@" ;;
esac
SHELL
chmod +x "$work/bin/swift"
sed -i.kept -E 's/^([a-z-]+) [0-9]+$/\1 2/' "$copy/Tests/floor.txt"

stubbed="export PATH='$work/bin':\$PATH;"
tests="$stubbed make test"
unbroken tests
mini=.mini/Tests/MiniTests/MiniTests.swift
sabotage tests 'a test that is removed' $mini 's/\@Test func b\(\) \{\}//' '1 tests passed, fewer than the 2'
sabotage tests 'a suite that is disabled' $mini 's/(\@Suite) (struct Second)/$1(.disabled("#1: later")) $2/' 'Suite SecondTests skipped: "#1: later"'
sabotage tests 'a test that is disabled without a reason' $mini 's/(\@Test) (func b)/$1(.enabled(if: false)) $2/' 'Test b() skipped.'
sabotage tests 'a suite that needs a server, where more must pass' $mini \
    's/(\@Suite) (struct Second)/$1(.disabled("make test-postgres starts a server")) $2/' '1 tests passed, fewer than the 2'
sabotage tests 'a test that fails' $mini 's/func b\(\) \{/func b() { #expect(1 == 2)/' 'Expectation failed: 1 == 2'
hanging="$stubbed SILENCE_LIMIT=5 make test"
sabotage hanging 'a test that hangs' $mini 's/func b\(\) \{/func b() async throws { try await Task.sleep(for: .seconds(600))/' \
    'no test began or ended for 5 s'
sabotage tests 'a step without a floor' Tests/floor.txt 's/^test .*\n//m' 'Tests/floor.txt has no line for this step'

for step in 'make test TRAITS=--traits=Postgres' 'make examples' Tools/test-tsan.sh Tools/test-adapters.sh Tools/test-postgres.sh \
    'Tools/nightly.sh --only graphs' 'Tools/nightly.sh --only load' 'Tools/nightly.sh --only crowd' 'Tools/nightly.sh --only perturbed' \
    'Tools/nightly.sh --only address' 'Tools/nightly.sh --only commands'; do
    floor="$stubbed $step"
    sabotage floor "$step" Tests/floor.txt 's/^([a-z-]+) 2$/$1 3/mg' '2 tests passed, fewer than the 3'
done
mv "$copy/Tests/floor.txt.kept" "$copy/Tests/floor.txt"

inspector="$stubbed BROWSER_PATH=/gone Tools/test-inspector.sh"
sabotage inspector 'a machine without a browser' README.md '+' 'The page of the inspector was not tested.'

# --- Documented defaults: the core and one suite ---

defaults='swift build --product QueryKitPackageTests && swift test --skip-build --filter DocumentedDefaultsTests'
page=Sources/QueryKit/QueryKit.docc/Defaults.md
if [[ "defaults:" =~ $only ]]; then
    cp "$copy/Package.swift" "$work/Package.swift"
    cat >>"$copy/Package.swift" <<'SWIFT'

package.products = []
package.targets.removeAll { !["QueryKit", "QueryKitTesting", "TestSupport", "QueryKitTests"].contains($0.name) }
package.targets.first { $0.name == "QueryKitTests" }?.sources = ["Client/DocumentedDefaultsTests.swift"]
SWIFT
    unbroken defaults
    sabotage defaults 'a sentence that differs' $page 's/kept for five minutes/kept for six minutes/' 'kept for six minutes'
    sabotage defaults 'a row that no check knows' $page 's/(?=\| An attempt)/| A new default. | – | – |\n/' 'A new default.'
    sabotage defaults 'a row that is removed' $page 's/\| An attempt.*\n//' 'An attempt has no time limit.'
    sabotage defaults 'a default that changes in the code' Sources/QueryKit/Client/QueryClient+Configuration.swift \
        's/retention: Duration = .seconds\(300\)/retention: Duration = .seconds(360)/' 'An unused store is kept for five minutes.'
    cp "$work/Package.swift" "$copy/Package.swift"
fi

# --- The site of the documentation ---

site='Tools/site/check.py .build/docs'
if [[ "site:" =~ $only ]]; then
    [ -d .build/docs ] || make --no-print-directory docs
    mkdir -p "$copy/.build"
    cp -R .build/docs "$copy/.build"
    start=.build/docs/index.html search=.build/docs/site/search.json style=.build/docs/site/docc.css
    data=.build/docs/data/documentation/querykit
    unbroken site
    sabotage site 'a link to no file' $start 's/site\/root.css/site\/gone.css/' 'the link site/gone.css leads to no file'
    sabotage site 'a link that is not relative' $start 's/"site\/root.css/"\/site\/root.css/' 'the link /site/root.css is not relative'
    sabotage site 'an article without a link' $start 's/querykit\/pages\/"/querykit\/"/' 'Pages.md: the start page has no link to it'
    sabotage site 'a found page that does not exist' $search 's/querykit\/pages\/"/querykit\/gone\/"/' 'gone/ leads to no file'
    sabotage site 'a found heading that does not exist' $search 's/querykit\/pages\/#/querykit\/pages\/#gone-/' 'leads to no heading'
    sabotage site 'a symbol that is not found' $search 's/querykit\/querystore\/"/querykit\/"/' "querykit/querystore: the search doesn't find it"
    sabotage site 'a sample that is too wide' $data/pages.json 's/("code":\[")/$1 . "x" x 73/e' 'columns, more than 72'
    sabotage site 'an image without a file' $data/lifeofarun.json 's/LifeOfAFetch\.svg/Gone.svg/g' 'Gone.svg is missing'
    sabotage site 'an image without an address' $data/lifeofarun.json 's/"variants"(?=:\[\{[^{}]*LifeOfAFetch)/"gone"/' 'the image LifeOfAFetch'
    sabotage site 'a table that does not scroll' $style 's/overflow-x: auto/overflow-x: hidden/' '.table-wrapper has no rule overflow-x: auto'
    sabotage site 'code that does not wrap' $style 's/(text-indent.*\n\s*)white-space: pre-wrap/$1white-space: pre/' 'has no rule white-space: pre-wrap'
    sabotage site 'a declaration that does not wrap' $style 's/(source code \{\n\s*)white-space: pre-wrap/$1white-space: pre/' \
        '.declaration-group has no rule white-space: pre-wrap'
    sabotage site 'a class that DocC does not have' $style 's/\.table-wrapper td/.table-gone td/' "DocC's pages have no class table-gone"
    sabotage site 'a page without our style' .build/docs/documentation/querykit/pages/index.html 's/docc\.css/gone.css/' "doesn't have our style sheet"
fi

[ "$failed" = 0 ] || echo "error: the check of a sabotage above didn't notice it." >&2
exit $failed
