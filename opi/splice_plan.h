// SPDX-License-Identifier: AGPL-3.0-or-later
// The whole result of a job, fixed before its first byte leaves: every span, the exact total size, every source file's
// identity. LPD byte counts, Content-Length, progress in percent, ranges, dry runs and "the RIP failed inside image X"
// all come from here. Nothing is added to a plan later, and no fat copy of a job is ever made.
//
//   thin document + images --planner--> SplicePlan --PlanCursor--> sender, file, or pull client
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"

namespace opispool::opi {

// Produces the bytes of one generated span, front to back, once.
//   thread  any one at a time        errors  bad_image, changed, io: the span can't be completed, the transfer must
//   fail
class Encoder {
  public:
    virtual ~Encoder() = default;
    // Fills `out` completely unless the span ends first; returns the bytes written (0 = end).
    virtual Result<std::size_t> produce(std::span<std::byte> out) = 0;
};

// What a generated span is made of. Immutable, shared by plans; the length is exact and known without producing.
class GeneratedData {
  public:
    virtual ~GeneratedData() = default;
    virtual std::uint64_t length_bytes() const = 0;
    virtual Result<std::unique_ptr<Encoder>> start() const = 0;
    virtual std::string description() const = 0;  // for `opispool plan`, e.g. "decode TIFF strips, ASCII85"
};

enum class SpanKind : std::uint8_t {
    file_range,  // bytes of a pinned source, never touched by our CPU
    owned_text,  // bytes of the plan's own text pool
    generated,   // an Encoder's bytes
};

struct Span {
    SpanKind kind = SpanKind::owned_text;
    std::uint32_t index = 0;         // file_range: into sources(); generated: into generated(); owned_text: 0
    std::uint64_t offset_bytes = 0;  // file_range: in the source; owned_text: in text_pool(); generated: 0
    std::uint64_t length_bytes = 0;  // never 0
};

// Where one placed image lies in the result, so that a RIP's failure at byte N can be named.
struct PlacedImage {
    std::string name;                              // as the comment wrote it, decoded, for messages
    std::string file;                              // the high-resolution file
    int page = 0;                                  // ordinal, from 1; 0 before the first page
    std::uint64_t line = 0;                        // in the thin job, from 1
    std::uint64_t begin_bytes = 0, end_bytes = 0;  // in the result
};

class SplicePlan {
  public:
    std::uint64_t total_bytes() const { return total_bytes_; }
    const std::vector<Span>& spans() const { return spans_; }
    const std::vector<std::shared_ptr<const MappedFile>>& sources() const { return sources_; }
    const std::vector<std::shared_ptr<const GeneratedData>>& generated() const { return generated_; }
    const std::string& text_pool() const { return text_pool_; }
    const std::vector<PlacedImage>& images() const { return images_; }
    // Result offset at which spans()[i] begins; i == spans().size() gives total_bytes().
    std::uint64_t begin_of(std::size_t span) const { return begins_[span]; }
    // The image that byte `offset_bytes` of the result belongs to, or nullptr.
    const PlacedImage* image_at(std::uint64_t offset_bytes) const;

  private:
    friend class PlanBuilder;
    std::vector<Span> spans_;
    std::vector<std::uint64_t> begins_;
    std::vector<std::shared_ptr<const MappedFile>> sources_;
    std::vector<std::shared_ptr<const GeneratedData>> generated_;
    std::vector<PlacedImage> images_;
    std::string text_pool_;
    std::uint64_t total_bytes_ = 0;
};

// Collects spans in result order. Neighbouring ranges of one source and neighbouring texts are merged.
class PlanBuilder {
  public:
    PlanBuilder();

    void text(std::string_view bytes);
    std::uint32_t add_source(std::shared_ptr<const MappedFile> file);  // the same file twice gives the same index
    void file_range(std::uint32_t source, std::uint64_t offset_bytes, std::uint64_t length_bytes);
    void generated(std::shared_ptr<const GeneratedData> data);
    std::uint64_t total_bytes() const { return plan_->total_bytes_; }

    void begin_image(PlacedImage image);  // begin_bytes is set here, end_bytes by end_image; never nested
    void end_image();

    // Appends all of `other` (an inserted EPS, planned on its own).
    void append(const SplicePlan& other);

    std::shared_ptr<const SplicePlan> finish();

  private:
    void add_span(Span span);
    std::shared_ptr<SplicePlan> plan_;
    bool in_image_ = false;
};

// Verifies the contract: lengths add up, every range lies inside its source, texts and encoders exist. Also in release
// builds, before the first byte.   errors  Code::internal naming the span
Result<void> check_plan(const SplicePlan& plan);

// Compares every source with what was planned. Before sending and after: bytes of a changed file must not count as
// printed.
//   errors  Code::changed naming the file
Result<void> check_sources(const SplicePlan& plan);

// One line per span: "offset length kind details"; ends with "total N bytes".
std::string text_form(const SplicePlan& plan);

}  // namespace opispool::opi
