#!/usr/bin/env bash
# Builds the tests of the PostgreSQL adapter, and runs them on a private server.
#   test-postgres.sh [--filter TESTS]
set -euo pipefail
cd "$(dirname "$0")/.."

output=$(mktemp)
trap 'rm -f "$output"' EXIT
swift build --product QueryKitPackageTests ${POSTGRES_FLAGS:---traits Postgres}
Tools/postgres-server.sh run swift test --skip-build ${POSTGRES_FLAGS:---traits Postgres} "${@:---filter=Postgres|Conformance|DiaryModelTests|DiaryCheckTests}" 2>&1 | tee "$output"
grep -qE 'Test run with [1-9][0-9]* test' "$output" || { echo "error: no test has run" >&2; exit 1; }

# The sample of the articles.
swift build --product SeveralMachines ${POSTGRES_FLAGS:---traits Postgres}
products=$(swift build ${POSTGRES_FLAGS:---traits Postgres} --show-bin-path)
Tools/postgres-server.sh run timeout 60 "$products/SeveralMachines"
