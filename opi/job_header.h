// SPDX-License-Identifier: AGPL-3.0-or-later
// Keeps a job's header comments true after pictures were put in (ref 4.1, 5.2).
#pragma once

#include <string>
#include <vector>

#include "opi/thin_document.h"

namespace opispool::opi {

struct HeaderEdit {
    ByteRange line;    // of the document, without its line end
    std::string text;  // what takes its place
};

// What the header of an inserted EPS says that it uses: inks, and fonts that it does not bring with it.
//   colours  false on a plate, which is one ink whatever the EPS says
void note_claims(const ThinDocument& eps, bool colours, UsedFeatures& used);

// Lists of colours and of needed resources are added to where the job has such a list; a job without one claims
// nothing.
std::vector<HeaderEdit> correct_header(const ThinDocument& document, const UsedFeatures& used);

}  // namespace opispool::opi
