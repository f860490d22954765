#!/usr/bin/env python3
# SPDX-License-Identifier: AGPL-3.0-or-later
"""suite.py GROUP OPISPOOL [--peers-required] [--keep DIR]: one group of pixel tests; exit 1 on a complaint, 77 = skipped."""
import argparse
import os
import shutil
import sys
import tempfile

import groups
import sheet


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("group", choices=sorted(groups.GROUPS))
    arguments.add_argument("opispool")
    arguments.add_argument("--peers-required", action="store_true")
    arguments.add_argument("--keep", metavar="DIR", help="leave jobs, results and pages here")
    options = arguments.parse_args()
    missing = [tool for tool in groups.TOOLS.get(options.group, ()) if shutil.which(tool) is None]
    if missing:
        print(f"{', '.join(missing)} not installed")
        return 1 if options.peers_required else 77
    with tempfile.TemporaryDirectory(prefix="opispool-pixel-") as scratch:
        if options.keep:
            scratch = options.keep
            os.makedirs(scratch)
        bench = sheet.Bench(options.opispool, scratch)
        complaints, cases = [], 0
        for part in groups.GROUPS[options.group](bench):
            found = part.run(bench)
            cases += len(getattr(part, "pages", (part,)))
            print(f"{'FAIL' if found else 'ok'} {part.name}", flush=True)
            print("".join(f"  {complaint}\n" for complaint in found), end="", flush=True)
            complaints += found
    print(f"{options.group}: {cases} cases, {len(complaints)} complaints")
    return 1 if complaints or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
