#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every check that needs no build; goes on after a failure, so that one run names everything.
cd "$(dirname "$0")" || exit 1
failed=0
for check in ./format.sh ./includes.py ./sizes.py ./cost.py ./products.py ./words.sh ./skips.py ./headers.py ./licences.py "./mutants --check" "../coverage --strict" \
    "../docs/errors.py --check"; do
    $check || failed=1
done
exit $failed
