# SPDX-License-Identifier: AGPL-3.0-or-later
"""The groups of the suite; each is a generator of parts, and a part's run(bench) returns complaints."""
import group_geometry
import group_self_test

GROUPS = {
    "self_test": group_self_test.self_test,
    "geometry_13": group_geometry.geometry_13,
    "geometry_20": group_geometry.geometry_20,
}
# Programs a group can't do without, apart from gs.
TOOLS = {"self_test": ["tiffcp"]}
