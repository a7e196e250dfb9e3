#!/usr/bin/env bash
# Builds the documentation of all modules as one site into .build/docs, and checks it. Calls DocC directly, because its plugin would be a
# dependency of the package.
#   docs.sh           builds the site; DOCS_BASE_PATH=/name if it will be served below a path
#   docs.sh --serve   serves the site on this machine; PORT=8080 for another port than 8000
set -euo pipefail
cd "$(dirname "$0")/.."

modules=(QueryKit QueryKitSQLite QueryKitPostgres QueryKitSQL QueryKitTesting QueryKitInspector FoodDiaryKit FoodDiarySQLite FoodDiaryPostgres
    FoodDiarySamples)
work=.build/docs-work
output=.build/docs

if [ "${1:-}" = --serve ]; then
    [ -f "$output/index.html" ] || { echo "error: there is no $output: run make docs." >&2; exit 1; }
    echo "The documentation is at http://localhost:${PORT:-8000}/ until you press Control-C."
    exec python3 -m http.server "${PORT:-8000}" --bind 127.0.0.1 --directory "$output"
fi

docc=$(command -v docc || xcrun --find docc)

rm -rf "$work" "$output"
mkdir -p "$work"
graphs=$(swift build ${POSTGRES_FLAGS:-} --show-bin-path)/../symbolgraph
rm -rf "$graphs"
# The command also dumps the graphs of the tests, and fails if these were not built. The graphs that we need are checked below.
swift package ${POSTGRES_FLAGS:-} dump-symbol-graph --minimum-access-level public >"$work/symbols.log" 2>&1 ||
    [ -s "$graphs/${modules[0]}.symbols.json" ] || { cat "$work/symbols.log" >&2; exit 1; }

# DocC's pages with our style sheet, and with a bar that leads to the start page and its search.
cp -R "$(dirname "$(realpath "$docc")")/../share/docc/render" "$work/render"
mkdir "$work/render/site"
cp Tools/site/docc.css Tools/site/docc.js "$work/render/site"
cp Tools/site/theme-settings.json "$work/render"
bar=$(tr -d '\n' <Tools/site/bar.html)
style='<link href="{{BASE_PATH}}/site/docc.css" rel="stylesheet"><script defer="defer" src="{{BASE_PATH}}/site/docc.js"></script>'
sed -i.original -e "s|</head>|$style&|" -e "s|<div id=\"app\">|$bar&|" "$work/render/index-template.html"
sed -e 's|{{BASE_PATH}}||g' "$work/render/index-template.html" >"$work/render/index.html"
rm "$work/render/index-template.html.original"
export DOCC_HTML_DIR="$PWD/$work/render"
base_path=()
[ -z "${DOCS_BASE_PATH:-}" ] || base_path=(--hosting-base-path "$DOCS_BASE_PATH")

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
        ${base_path[@]+"${base_path[@]}"} \
        --transform-for-static-hosting --warnings-as-errors \
        --output-path "$work/$module.doccarchive"
    archives+=("$work/$module.doccarchive")
done

"$docc" merge "${archives[@]}" --synthesized-landing-page-name QueryKit --output-path "$output"
Tools/site/build.py "$output"
Tools/site/check.py "$output"
echo "The documentation is in $output. To read it: make docs-serve"
