// SPDX-License-Identifier: AGPL-3.0-or-later
#include "spooler/queue_index.h"

#include <utility>

#include "base/mapped_file.h"
#include "base/text.h"
#include "opi/explain.h"

namespace opispool::spooler {

Result<opi::ImageIndex> open_queue_index(const QueueConfig& queue, UnixMs now_ms) {
    opi::SearchRules rules = queue.search;
    if (queue.settle_ms > 0) rules.settled_before_ms = now_ms - queue.settle_ms;
    return opi::ImageIndex::open(queue.store_paths, std::move(rules));
}

Result<std::string> explain_document(const std::string& path, const std::string& name, const QueueConfig& queue,
                                     UnixMs now_ms) {
    auto thin = MappedFile::open(path);
    if (!thin) return fail(std::move(thin.error()));
    const auto index = open_queue_index(queue, now_ms);
    if (!index) return fail(index.error());
    opi::PlanRequest request;
    request.thin = *thin;
    request.index = &*index;
    const auto references = opi::scan_references(request, opi::ScanDetail::steps);
    if (!references) return fail(references.error());
    std::string json = opi::references_json(*references, opi::ScanDetail::steps);
    json.resize(json.rfind('}'));
    return json + ",\"text\":" + json_quoted(opi::explain_text(name, *references)) + "}\n";
}

}  // namespace opispool::spooler
