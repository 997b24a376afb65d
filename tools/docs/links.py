#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Links of the built site: every href and src of every page leads to a file of the site, and to an anchor that is there.

    tools/docs/links.py HTML

Links into the network are allowed in the text (`<a>`), and nowhere else: the site is read without one.
"""
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlparse


class Page(HTMLParser):
    """The anchors of a page, and its links: (line, tag, target)."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors |= {values[name] for name in ("id", "name") if values.get(name)}
        self.links += [(self.getpos()[0], tag, values[name]) for name in ("href", "src") if values.get(name)]


def broken(root):
    """(page, line, what is wrong) of every broken link below root."""
    pages = {path.resolve(): Page(path.read_text()) for path in sorted(root.rglob("*.html"))}
    for path, page in pages.items():
        for line, tag, target in page.links:
            url = urlparse(target)
            if url.scheme in ("data", "mailto"):
                continue
            if url.scheme or url.netloc:
                if tag != "a":
                    yield path, line, f"<{tag}> fetches {target}"
                continue
            there = (path.parent / unquote(url.path)).resolve() if url.path else path
            if there.is_dir():
                there /= "index.html"
            if not there.exists():
                yield path, line, f"no file {target}"
            elif url.fragment and there in pages and unquote(url.fragment) not in pages[there].anchors:
                yield path, line, f"no anchor {target}"


def main():
    root = Path(sys.argv[1])
    found = list(broken(root))
    for path, line, what in found:
        print(f"{path.relative_to(root.resolve())}:{line}: {what}", file=sys.stderr)
    print(f"links: {len(list(root.rglob('*.html')))} pages, {len(found)} broken links")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
