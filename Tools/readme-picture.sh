#!/usr/bin/env bash
# Records the picture of README.md: two processes show trips, a third one adds a trip, and the screens of both follow.
#   readme-picture.sh            records it and writes it into README.md, between the two markers
#   readme-picture.sh --print    records it and prints it
#   readme-picture.sh --check    records it and fails if README.md shows another one
# Runs the example app `trips`: three processes, one database file, and nothing that is written by hand. TRIPS=PATH uses a program that
# is built already.
set -euo pipefail
cd "$(dirname "$0")/.."

begin='<!-- Recorded by Tools/readme-picture.sh -->'
end='<!-- End of the recording -->'

program=${TRIPS:-}
if [ -z "$program" ]; then
    swift build --package-path Examples ${FLAGS:-} --product trips >&2
    program=$(swift build --package-path Examples ${FLAGS:-} --show-bin-path)/trips
fi

work=$(mktemp -d)
export TRIPS_FILE=$work/trips.sqlite
trap 'exec 7>&- 8>&-; rm -rf "$work"' EXIT

# Waits until a screen shows a text as its last frame. A frame ends with an empty line.
wait_for() {
    local screen=$1 text=$2 tries
    for ((tries = 0; tries < 600; tries++)); do
        last_frame "$screen" | grep -qF -- "$text" && [ -z "$(tail -n 1 "$work/$screen")" ] && return
        sleep 0.1
    done
    echo "readme-picture.sh: the $screen screen did not show \"$text\" within a minute. It shows:" >&2
    cat "$work/$screen" >&2
    exit 1
}

last_frame() {
    awk 'BEGIN { RS = ""; FS = "\n" } { frame = $0 } END { print frame }' "$work/$1"
}

side_by_side() {
    awk 'FNR == NR { left[rows = FNR] = $0; next } { right[FNR] = $0; if (FNR > rows) rows = FNR }
        END { for (row = 1; row <= rows; row++) { line = sprintf("%-34s%s", left[row], right[row]); sub(/ +$/, "", line); print line } }
    ' "$work/left" "$work/right"
}

both() {
    last_frame first >"$work/left"
    last_frame second >"$work/right"
    side_by_side
}

record() {
    "$program" add Oslo 2026-12-01 3 >/dev/null
    "$program" add Bergen 2026-12-05 2 >/dev/null

    # The screens read their commands from these pipes, and end when the pipes are closed.
    mkfifo "$work/keys1" "$work/keys2"
    "$program" watch <"$work/keys1" >"$work/first" &
    exec 7>"$work/keys1"
    "$program" watch <"$work/keys2" >"$work/second" &
    exec 8>"$work/keys2"
    wait_for first '5 days in all'
    echo /lis >&8
    wait_for second 'Trips with "lis"'
    wait_for second '5 days in all'

    printf '%s\n' '$ trips watch' >"$work/left"
    printf '%s\n' '$ trips watch, then /lis' >"$work/right"
    side_by_side
    both
    printf '\n$ trips add Lisbon 2026-12-20 5\n'
    "$program" add Lisbon 2026-12-20 5
    wait_for first '10 days in all'
    wait_for second '10 days in all'
    wait_for first Lisbon
    wait_for second Lisbon
    printf '\n'
    both
    exec 7>&- 8>&-
    wait
}

picture=$work/picture
{
    printf '%s\n' "$begin" '```text'
    record
    printf '%s\n' '```' "$end"
} >"$picture"

shown() {
    awk -v begin="$begin" -v end="$end" '$0 == begin { on = 1 } on { print } $0 == end { on = 0 }' README.md
}

case ${1:-} in
    --print) cat "$picture" ;;
    --check)
        shown | diff - "$picture" || {
            echo "README.md shows another picture than the one above. Run Tools/readme-picture.sh and look at the difference." >&2
            exit 1
        }
        ;;
    *)
        grep -qxF -- "$begin" README.md && grep -qxF -- "$end" README.md || {
            echo "readme-picture.sh: README.md has no markers: $begin and $end" >&2
            exit 1
        }
        awk -v begin="$begin" -v end="$end" -v picture="$picture" '
            $0 == begin { while ((getline line < picture) > 0) print line; skip = 1 }
            !skip { print }
            $0 == end { skip = 0 }
        ' README.md >"$work/readme"
        cp "$work/readme" README.md
        ;;
esac
