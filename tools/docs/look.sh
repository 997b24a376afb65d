#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Looks at the built site in headless Chromium (Debian package chromium), as wide as a telephone and as a screen, light and dark.
#
#   tools/docs/look.sh [PAGE...]      pages such as primitives/softmax.html; some of each kind, unless given
#
# Pictures go into build/docs/look: PAGE-WIDTH-light.png and PAGE-WIDTH-dark.png. Every page of the site is measured: one that is wider than its window is an error.
set -euo pipefail
cd "$(dirname "$0")/../.."
html=build/docs/html look=build/docs/look
[ -f "$html/index.html" ] || { echo "look: no $html: run 'make docs' first" >&2; exit 1; }
command -v chromium >/dev/null || { echo "look: no chromium: apt-get install chromium" >&2; exit 1; }
if [ $# -eq 0 ]; then
    set -- index.html start.html concepts/memory.html primitives/index.html primitives/softmax.html primitives/matmul.html \
        api/softmax.html api/memory.html api/format_tags.html topics/quantization.html from_onednn.html benchmarks.html search.html
fi
rm -rf "$look"
mkdir -p "$look"
cp tools/docs/look.html "$html/look.html"
server=
trap '[ -z "$server" ] || kill "$server"; rm -f "$html/look.html" "$look/port"' EXIT
python3 -c '
import functools, http.server, sys
class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_): pass
with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=sys.argv[1])) as server:
    print(server.server_port, flush=True)
    server.serve_forever()' "$html" >"$look/port" &
server=$!
for _ in $(seq 50); do [ -s "$look/port" ] && break; sleep 0.1; done
site=http://127.0.0.1:$(cat "$look/port")
browser=(chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$look/profile" --no-first-run)

failed=0
mapfile -t all < <(cd "$html" && find . -name '*.html' ! -name look.html | sed 's|^\./||' | sort)
for width in 400 1280; do
    for page in "$@"; do
        [ -f "$html/$page" ] || continue
        for scheme in light dark; do
            dark=(--force-dark-mode) # what the reader's system says; a frame also asks its page
            [ $scheme = dark ] || dark=()
            "${browser[@]}" "${dark[@]}" --window-size=$((width < 600 ? 600 : width)),1600 --virtual-time-budget=4000 \
                --screenshot="$look/$(tr / - <<<"${page%.html}")-$width-$scheme.png" \
                "$site/look.html?width=$width&show&$scheme&page=$page" 2>/dev/null
        done
    done
    for ((at = 0; at < ${#all[@]}; at += 20)); do
        some=("${all[@]:at:20}")
        report=$("${browser[@]}" --window-size=1400,1000 --virtual-time-budget=60000 --dump-dom \
            "$site/look.html?width=$width$(printf '&page=%s' "${some[@]}")" 2>/dev/null | sed -n '/id="result"/,/<\/pre>/p')
        if ! grep -q "measured ${#some[@]} pages" <<<"$report"; then
            echo "look: Chromium did not measure ${some[*]}" >&2
            failed=1
        elif wide=$(grep 'pixels in a window' <<<"$report"); then
            sed 's/.*id="result">//' <<<"$wide" >&2
            failed=1
        fi
    done
done
rm -rf "$look/profile"
[ $failed = 0 ] && echo "look: ${#all[@]} pages, none wider than its window; pictures in $look"
exit $failed
