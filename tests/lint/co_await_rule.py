#!/usr/bin/env python3
# SPDX-License-Identifier: AGPL-3.0-or-later
"""g++ 12 destroys a brace-built or owning-lambda temporary twice when its full expression contains co_await.

So no statement with co_await may hold a `{` temporary or a lambda: name it first.
    co_await_rule.py ROOT        complains about every hit in the tree, exit 1
    co_await_rule.py --self-test
It reads text, not a syntax tree: strings, comments and preprocessor lines are blanked, then the statement around each
co_await is cut out and searched.
"""
import re
import sys

import tree

BLANKED = re.compile(r"^[ \t]*#[^\n]*|//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S | re.M)
# A `{` after one of these opens a block, so the statement begins behind it.
BLOCK_AFTER = re.compile(r"([);{}:]|\b(?:else|do|try|const|noexcept|mutable|override|final)|->\s*[\w:<>,\s*&]+)$")


def blanked(text):
    return BLANKED.sub(lambda match: re.sub(r"[^\n]", " ", match.group(0)), text)


def end_of_statement(text, at):
    """The ';' that ends it, or the bracket that closes around it; a block after an `if (...)` is not part of it."""
    depth = 0
    while at < len(text):
        if text[at] in "([{":
            depth += 1
        elif text[at] in ")]}":
            depth -= 1
            if depth < 0:
                return at
        elif text[at] == ";" and depth == 0:
            return at
        at += 1
    return at


def opening_of(text, at):
    """The `{` that belongs to the `}` at `at`."""
    depth = 0
    while at >= 0:
        depth += (text[at] == "}") - (text[at] == "{")
        if depth == 0:
            return at
        at -= 1
    return 0


def opens_block(text, at):
    return BLOCK_AFTER.search(text[:at].rstrip()) is not None


def start_of_statement(text, at):
    """(offset, True if an open `{` that is no block lies before `at`)."""
    depth, at = 0, at - 1
    while at >= 0:
        if text[at] == "}":
            opening = opening_of(text, at)
            # A block that has ended ends the statement before; a lambda goes on with `,` or `)`.
            if depth == 0 and opens_block(text, opening) and text[at + 1:].lstrip()[:1] not in tuple(",).("):
                return at + 1, False
            at = opening
        elif text[at] in ")]":
            depth += 1
        elif text[at] in "([":
            depth -= 1
        elif text[at] == "{":
            return at + 1, not opens_block(text, at)
        elif text[at] == ";" and depth <= 0:
            return at + 1, False
        at -= 1
    return 0, False


def has_temporary(piece):
    """A brace or a lambda; `name[...]` is an index and `[[attribute]]` nothing at all."""
    piece = re.sub(r"\[\[.*?\]\]", " ", piece, flags=re.S)
    before = None
    while before != piece:
        before, piece = piece, re.sub(r"([\w)\]>])\s*\[[^\[\]]*\]", r"\1", piece)
    return re.search(r"[\[{]", piece) is not None


def complaints(path, text):
    text, found = blanked(text), []
    for match in re.finditer(r"\bco_await\b", text):
        start, inside_braces = start_of_statement(text, match.start())
        head = text[start:match.start()]
        if inside_braces or has_temporary(head) or has_temporary(text[match.end():end_of_statement(text, match.end())]):
            line = text.count("\n", 0, match.start()) + 1
            found.append(f"{path}:{line}: a brace temporary or a lambda in a statement with co_await; name it first")
    return found


GOOD = """
task<void> f() { co_await g(); }
task<void> f() { auto r = co_await g(a, b); if (!r) co_return; }
task<void> f() { if (auto r = co_await g(); !r) { h({1, 2}); } }
task<void> f() { while (co_await more()) { x = [] { return 1; }(); } }
task<void> f() { for (auto& e : list) { co_await send(e); } }
task<void> f() { const Options o{1, 2}; auto r = co_await g(o); }
task<void> f() { auto cb = [] { return 1; }; co_await g(cb); }
task<void> f() { buffers[i] = co_await g(list[2], m[k]); }
task<void> f() { const auto got = co_await g("{ not code }", '{'); }
task<void> f() { try { co_await g(); } catch (...) { } }
task<void> f() { co_spawn(e, [this]() -> task<void> { co_await g(); }, token); }
task<void> f() { switch (k) { case 1: co_await g(); } }
task<void> f() const { co_await g(); }
task<void> f() { do { co_await g(); } while (true); }
task<void> f() { if (x) { a(); } co_await g(); }
task<void> f() { if (x) { a(); } else { b(); } auto r = co_await g(); }
task<void> f() { [[maybe_unused]] auto r = co_await g(); }
// co_await g({1, 2});
""".strip().split("\n")
BAD = """
task<void> f() { co_await g({1, 2}); }
task<void> f() { co_await g(Options{1, 2}); }
task<void> f() { auto r = co_await g(std::string{"x"}, 1); }
task<void> f() { co_await on_pool([p] { return p->x(); }); }
task<void> f() { use({1, co_await g()}); }
task<void> f() { const Pair p{1, co_await g()}; }
task<void> f() { if (auto r = co_await g([] { return 1; }); !r) { co_return; } }
task<void> f() { h(Options{1}, co_await g()); }
task<void> f() { return_to([=](int x) { return x; }, co_await g()); }
task<void> f() { for (auto x : co_await g(Range{0, 4})) { } }
""".strip().split("\n")


def self_test():
    wrong = [f"good, but flagged: {line}" for line in GOOD if complaints("x", line)]
    wrong += [f"bad, but missed: {line}" for line in BAD if not complaints("x", line)]
    print("\n".join(wrong) or f"self-test: {len(GOOD)} good and {len(BAD)} bad statements told apart")
    return 1 if wrong else 0


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: co_await_rule.py ROOT | --self-test")
    if sys.argv[1] == "--self-test":
        sys.exit(self_test())
    found, seen = [], 0
    for path in tree.files(sys.argv[1]):
        if path.endswith((".cpp", ".h")):
            text = tree.read(sys.argv[1], path)
            seen += "co_await" in text
            found += complaints(path, text)
    print("\n".join(found) or f"co_await rule: {seen} files with coroutines, no complaint")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
