#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Words that do not belong here: paths of one machine, talk about how the text came to be, unfinished work, file names
# that say nothing. Each row is a pattern and why.
set -euo pipefail
cd "$(dirname "$0")/../.."

rows=(
    '/work/|/root/|/home/[a-z]|a path of one machine'
    '\b(sub-?agent|chat ?gpt|claude|language model|AI assistant)\b|how the text came to be'
    '\b(this|previous|earlier|next) (session|conversation|prompt)\b|how the text came to be'
    '\b(issue|ticket|milestone) #?[0-9]+|work items live elsewhere'
    '\bthe (brief|lead|helper [a-z]+) (says|wrote|wants|asks)\b|how the text came to be'
    '\b(TODO|FIXME|XXX|HACK)\b|finish it, or say in words what is missing'
    '^ *#if 0|code that is not compiled'
    '\b(obviously|just works|blazing(ly)?|seamless(ly)?)\b|says nothing'
)
failed=0
files() { find . \( -path ./.git -o -path './build*' -o -name __pycache__ \) -prune -o -type f ! -path ./LICENSE \
          ! -path ./tools/checks/words.sh -print0; }
for row in "${rows[@]}"; do
    pattern=${row%|*} why=${row##*|}
    if hits=$(files | xargs -0 grep -IniE -- "$pattern"); then
        printf 'words: %s:\n%s\n' "$why" "$hits" >&2
        failed=1
    fi
done
# The public headers' names are the interface's.
if hits=$(find src tools tests bench examples cmake -type f | grep -E '/(utils?|common|helpers?|misc|manager)[._/]'); then
    printf 'words: a file name that says nothing:\n%s\n' "$hits" >&2
    failed=1
fi
[ $failed = 0 ] && echo "words: ${#rows[@]} patterns, none found"
exit $failed
