# SPDX-License-Identifier: AGPL-3.0-or-later
"""The groups of the suite; each is a generator of parts, and a part's run(bench) returns complaints."""
import group_colour
import group_dcs
import group_eps
import group_geometry
import group_inks
import group_jpeg
import group_measure
import group_pdftops
import group_plates
import group_producers
import group_refusals
import group_self_test
import group_tiff
import group_tiff_colour

GROUPS = {
    "self_test": group_self_test.self_test,
    "geometry_13": group_geometry.geometry_13,
    "geometry_20": group_geometry.geometry_20,
    "tiff": group_tiff.tiff,
    "tiff_colour": group_tiff_colour.tiff_colour,
    "tiff_level_2": group_tiff.tiff_level_2,
    "tiff_ascii85": group_tiff.tiff_ascii85,
    "colour": group_colour.colour,
    "inks": group_inks.inks,
    "plates": group_plates.plates,
    "jpeg": group_jpeg.jpeg,
    "dcs": group_dcs.dcs,
    "eps": group_eps.eps_group,
    "pdftops": group_pdftops.pdftops,
    "producers": group_producers.producers,
    "measure": group_measure.measure,
    "refusals": group_refusals.refusals,
}
# Programs a group can't do without, apart from gs.
TOOLS = {"self_test": ["tiffcp"], "tiff": ["tiffcp"], "tiff_colour": ["tiffcp"], "tiff_level_2": ["tiffcp"], "tiff_ascii85": ["tiffcp"],
         "jpeg": ["cjpeg", "tiffcp"], "pdftops": ["pdftops"], "measure": ["pdftops"],
         "producers": ["pdftops", "psnup", "pstops", "psselect"]}
