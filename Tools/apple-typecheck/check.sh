#!/usr/bin/env bash
# Type-checks the modules of the package on Linux for the oldest versions of Apple's systems in Package.swift. visionOS and Catalyst need
# no check: our code for them is the same as for iOS, and their oldest systems are as new.
#   check.sh SYSTEM…   macos, ios, tvos, watchos; ios alone without one
#
# On Linux the compiler ignores @available, so calls that are too new for those systems would be reported only on a Mac. The toolchain also
# contains the text of its standard library (.swiftinterface). With an Apple target, that text replaces the SDK, except for the modules of
# the SDK; stubs/ declares the parts of these that we use. Nothing is linked or run. The header of SQLite is that of the system: it includes
# only <stdarg.h>, which the compiler provides. Unlike Apple's header it doesn't declare the availability of functions; SQLiteLibrary checks
# that at run time.
set -euo pipefail
cd "$(dirname "$0")/../.."

if [ "$(uname -sm)" != "Linux x86_64" ]; then
    echo "Skipped: this check replaces the Apple SDK on Linux (x86_64). On a Mac the ordinary build checks availability."
    exit 0
fi

here=Tools/apple-typecheck
cache=$PWD/.build/apple-typecheck
toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")
interfaces=$toolchain/lib/swift/linux
host=x86_64-unknown-linux-gnu
header=$(pkg-config --print-errors --variable=includedir sqlite3)/sqlite3.h

# The minimum systems and the language features are defined only in Package.swift.
floor() {
    sed -n "s/.*\.$1(\.v\([0-9]*\)).*/\1/p" Package.swift
}
features=()
for feature in $(sed -n 's/.*enableUpcomingFeature("\([A-Za-z]*\)").*/\1/p' Package.swift); do
    features+=(-enable-upcoming-feature "$feature")
done

# Sets the variables of one platform for the other functions.
choose() {
    case $1 in
        macos) target=x86_64-apple-macos$(floor macOS).0 interface=x86_64-apple-macos ;;
        ios) target=x86_64-apple-ios$(floor iOS).0-simulator interface=x86_64-apple-ios-simulator ;;
        tvos) target=x86_64-apple-tvos$(floor tvOS).0-simulator interface=x86_64-apple-tvos-simulator ;;
        watchos) target=x86_64-apple-watchos$(floor watchOS).0-simulator interface=x86_64-apple-watchos-simulator ;;
        *) echo "error: there is no system $1: macos, ios, tvos or watchos" >&2; exit 2 ;;
    esac
    home=$cache/$1
    sdk=$home/sdk/usr/lib/swift
    frontend=(
        swiftc -frontend -target "$target" -sdk "$home/sdk" -resource-dir "$home/resources" -I "$sdk" -I "$home/stubs"
        -I "$home/products" -I Sources/CSQLite -Xcc -isystem -Xcc "$home/headers"
        -module-cache-path "$home/modules" -plugin-path "$toolchain/lib/swift/host/plugins"
        -disable-objc-interop -parse-as-library
    )
}

# Writes the standard library's interfaces for the platform, locates the header, and compiles the stubs.
prepare() {
    local module name stub
    rm -rf "$home"
    mkdir -p "$sdk" "$home/resources" "$home/stubs" "$home/headers" "$home/products"
    # Copied alone, because its folder also contains the headers of Linux.
    ln -s "$header" "$home/headers/sqlite3.h"
    for name in shims clang apinotes; do
        ln -s "$toolchain/lib/swift/$name" "$home/resources/$name"
    done
    for module in Swift SwiftOnoneSupport _Concurrency _StringProcessing _RegexParser _Builtin_float RegexBuilder \
        Distributed Observation Synchronization; do
        mkdir "$sdk/$module.swiftmodule"
        # The text is that of Linux: it imports Glibc, and back-deployed bodies call symbols that only Apple's library has.
        sed -e "s/-target $host/-target $target/" -e '/^import Glibc$/d' -e 's/@backDeployed([^)]*)//' \
            -e 's/-static /-disable-availability-checking /' \
            "$interfaces/$module.swiftmodule/$host.swiftinterface" >"$sdk/$module.swiftmodule/$interface.swiftinterface"
    done
    # Declared for Linux's mutex. The interface contains its inlined body, but not this declaration.
    echo '@usableFromInline internal func _swift_stdlib_gettid() -> Swift.UInt32' \
        >>"$sdk/Synchronization.swiftmodule/$interface.swiftinterface"
    # Modules that others import are compiled first.
    for stub in "$here"/stubs/{DarwinFiles,Darwin,Foundation,Dispatch}.swift "$here"/stubs/*.swift; do
        [ ! -e "$home/stubs/$(basename "$stub" .swift).swiftmodule" ] || continue
        name=$(basename "$stub" .swift)
        quietly "${frontend[@]}" -emit-module -module-name "$name" -swift-version 5 -disable-availability-checking \
            -experimental-skip-all-function-bodies "$stub" -o "$home/stubs/$name.swiftmodule"
    done
}

# Compiles files as part of one of our modules: compile MODULE MODE… FILE…
compile() {
    local module=$1
    shift
    quietly "${frontend[@]}" -swift-version 6 "${features[@]}" -warnings-as-errors \
        -package-name querykit -module-name "$module" "$@"
}

# Without a real SDK each call prints a warning about its missing settings file.
quietly() {
    local code=0
    "$@" 2>"$home/messages" || code=$?
    grep -v SDKSettings "$home/messages" >&2 || true
    return $code
}

# If the check accepted everything, it would look successful. So a call that is too new must be refused first.
refuses_what_is_too_new() {
    local module=$1 output
    if output=$(compile "$module" -typecheck "$here/too-new.swift" 2>&1) || ! grep -q "'Mutex' is only available in" <<<"$output"; then
        echo "error: too-new.swift was not refused for $target as a part of $module:" >&2
        echo "$output" >&2
        return 1
    fi
    compile "$module" -typecheck "$here/new-enough.swift"
}

# Checks one module: check_module NAME [FOLDER [WITHOUT]]
check_module() {
    local module=$1 folder=${2:-Sources/$1} without=${3:-none} sources=() source
    refuses_what_is_too_new "$module"
    while IFS= read -r source; do
        sources+=("$source")
    done < <(find "$folder" -path "$folder/$without" -prune -o -name '*.swift' -print | sort)
    compile "$module" -typecheck "${sources[@]}"
    # For modules that import this one.
    compile "$module" -emit-module -experimental-skip-all-function-bodies "${sources[@]}" -o "$home/products/$module.swiftmodule"
    echo "$module: ${#sources[@]} files are fine for $target."
}

# Checks a sample that has code only for Apple's systems, up to the line that begins the part LAST: check_sample NAME LAST
check_sample() {
    sed "/^\/\/ snippet.$2\$/,\$d" "Snippets/$1.swift" >"$home/$1.swift"
    compile "$1" -typecheck "$home/$1.swift"
    echo "Snippets/$1.swift is fine for $target."
}

check() {
    local stamp
    choose "$1"
    stamp=$(swiftc --version 2>&1 | cat - Package.swift "$here/check.sh" "$here"/stubs/*.swift "$header" | cksum)
    if [ "$(cat "$home/stamp" 2>/dev/null || true)" != "$stamp" ]; then
        prepare
        echo "$stamp" >"$home/stamp"
    fi
    check_module QueryKit
    check_module QueryKitTesting
    check_module QueryKitInspector
    check_module QueryKitSQL
    check_module QueryKitSQLite Sources/QueryKitSQLite FoodDiary
    check_module FoodDiaryKit
    check_module FoodDiarySQLite Sources/QueryKitSQLite/FoodDiary
    check_module FoodDiarySamples
    check_sample Secrets file
    check_sample Preferences model
}

# Each platform compiles the standard library once, which takes half a minute on one core.
platforms=()
for name in "${@:-ios}"; do
    check $name &
    platforms+=($!)
done
failed=0
for platform in "${platforms[@]}"; do
    wait "$platform" || failed=1
done
exit $failed
