// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/measured_document.h"

namespace opispool::opi {

namespace {

// A mark can stand where the body's first byte is code of the program itself.
void collect_bodies(const std::vector<Reference>& references, std::vector<ByteRange>& bodies) {
    for (const Reference& reference : references) {
        if (reference.in_procedure || reference.body.end == 0) continue;
        bodies.push_back(reference.body);
        collect_bodies(reference.inner, bodies);
    }
}

}  // namespace

Result<std::vector<MeasuredPass>> MeasuredDocument::passes(const Reference& reference) {
    if (measuring_.mode == MeasureMode::never || measuring_.measurer == nullptr)
        return fail(Code::unsupported, Operation::place, "measuring the job is switched off");
    if (!answer_) {
        collect_bodies(document_.references, request_.bodies);
        answer_ = measuring_.measurer->measure(request_);
    }
    if (!*answer_) return fail(answer_->error().code, Operation::place, describe(answer_->error()));
    const auto found = (*answer_)->passes.find(reference.body.begin);
    if (found != (*answer_)->passes.end()) return found->second;
    if (!(*answer_)->trouble.empty()) return fail(Code::unsupported, Operation::place, (*answer_)->trouble);
    return std::vector<MeasuredPass>{};
}

}  // namespace opispool::opi
