#!/usr/bin/env bash
# Builds the sources of QueryKit and of the example DiaryApp with replacements for SwiftUI and Combine, and tests the code that uses these:
# see Tools/AppleShims/Package.swift.
set -euo pipefail
cd "$(dirname "$0")/AppleShims"

if [ "$(uname)" = Darwin ]; then
    echo "Skipped: on a Mac these modules would hide those of the SDK. There the ordinary build compiles this code."
    exit 0
fi

../tested.sh adapters swift test ${SWIFT_FLAGS:-}

# The samples of the README and of the tutorial: only here do their views compile on Linux.
modules="$(swift build ${SWIFT_FLAGS:-} --show-bin-path)/Modules"
for sample in TripsScreen TutorialList TutorialView; do
    swiftc -typecheck -warnings-as-errors -swift-version 6 -I "$modules" "../../Snippets/$sample.swift"
done

# The views of the example Habits, with all that they use; the rest needs a database.
swiftc -typecheck -warnings-as-errors -swift-version 6 -package-name examples -module-name HabitsApp \
    -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature MemberImportVisibility \
    -enable-upcoming-feature NonisolatedNonsendingByDefault -enable-upcoming-feature InferIsolatedConformances \
    -I "$modules" $(grep -rL QueryKitSQLite ../../Examples/Sources/HabitsApp/{Domain,Repository,UseCases,Requests,Models,Views})

# The views of the example trips, likewise.
swiftc -typecheck -warnings-as-errors -swift-version 6 -package-name examples -module-name TripsApp \
    -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature MemberImportVisibility \
    -enable-upcoming-feature NonisolatedNonsendingByDefault -enable-upcoming-feature InferIsolatedConformances \
    -I "$modules" $(grep -rL QueryKitSQLite ../../Examples/Sources/TripsApp)
