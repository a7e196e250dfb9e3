#!/usr/bin/env bash
# Builds the tests of the PostgreSQL adapter, and runs them on a private server.
#   test-postgres.sh [--filter TESTS]
set -euo pipefail
cd "$(dirname "$0")/.."

swift build --product QueryKitPackageTests ${POSTGRES_FLAGS:---traits Postgres}
step=test-postgres
[ $# = 0 ] || step=some
Tools/tested.sh $step Tools/postgres-server.sh run swift test --skip-build ${POSTGRES_FLAGS:---traits Postgres} \
    "${@:---filter=Postgres|Conformance|DiaryModelTests|DiaryCheckTests}"

# The sample of the articles.
swift build --product SeveralMachines ${POSTGRES_FLAGS:---traits Postgres}
products=$(swift build ${POSTGRES_FLAGS:---traits Postgres} --show-bin-path)
Tools/postgres-server.sh run timeout 60 "$products/SeveralMachines"
