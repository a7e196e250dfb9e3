#!/usr/bin/env bash
# Builds the documentation into .build/docs. Calls DocC directly, because its plugin would be a dependency of the package.
set -euo pipefail
cd "$(dirname "$0")/.."

modules=(QueryKit QueryKitTesting QueryKitSQLite FoodDiaryKit FoodDiarySQLite FoodDiarySamples)
work=.build/docs-work
output=.build/docs
docc=$(command -v docc || xcrun --find docc)

rm -rf "$work" "$output"
mkdir -p "$work"
graphs=$(swift build ${SWIFT_FLAGS:-} --show-bin-path)/../symbolgraph
rm -rf "$graphs"
# The command also dumps the graphs of the tests, and fails if these were not built. The graphs that we need are checked below.
swift package ${SWIFT_FLAGS:-} dump-symbol-graph --minimum-access-level public >"$work/symbols.log" 2>&1 ||
    [ -s "$graphs/${modules[0]}.symbols.json" ] || { cat "$work/symbols.log" >&2; exit 1; }

archives=()
for module in "${modules[@]}"; do
    mkdir "$work/$module"
    # The symbols of a module, and those that it adds to types of other modules (Module@Other).
    cp "$graphs/$module.symbols.json" "$work/$module"
    find "$graphs" -name "$module@*.symbols.json" -exec cp {} "$work/$module" \;

    inputs=()
    catalog=$(find Sources -name "$module.docc")
    [ -n "$catalog" ] && inputs+=("$catalog")
    "$docc" convert ${inputs[@]+"${inputs[@]}"} \
        --additional-symbol-graph-dir "$work/$module" \
        --fallback-display-name "$module" --fallback-bundle-identifier "$module" \
        --transform-for-static-hosting --warnings-as-errors \
        --output-path "$work/$module.doccarchive"
    archives+=("$work/$module.doccarchive")
done

"$docc" merge "${archives[@]}" --synthesized-landing-page-name QueryKit --output-path "$output"
echo "The documentation is in $output. To read it: python3 -m http.server --directory $output"
