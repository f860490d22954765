// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/thin_document.h"

#include "base/text.h"
#include "opi/dsc_scanner.h"
#include "opi/line_counter.h"
#include "opi/object_balance.h"
#include "opi/ps_context.h"
#include "opi/thin_frames.h"

namespace opispool::opi {
namespace {

class ThinParser {
  public:
    ThinParser(ByteSource& source, const ThinBefore& before)
        : source_(source), scanner_(source), context_(source), lines_(source, before.lines) {
        stack_.push_back(Frame{FrameKind::document, {}, {}, {}, {}});
        told_.pages = document_.pages = before.pages;
        document_.document_box = before.document_box;
        document_.seen_opi = before.seen_opi;
    }

    Result<ThinDocument> parse() {
        while (auto line = scanner_.next()) {
            if (line->starts_job) begin_job(line->begin_bytes);
            take(*line);
            // The scanner stands on the end comment now: the next line that it will give.
            if (line->counted) context_.skip(line->next_bytes, scanner_.position_bytes());
            if (!line->bad_count) continue;
            cuts_end_ = std::min(cuts_end_, line->begin_bytes);
            document_.warnings.push_back("the count of '" + printable(line->text.substr(0, 80)) + "' at byte " +
                                         std::to_string(line->begin_bytes) + " does not lead to its end comment");
        }
        begin_job(source_.size_bytes());
        if (auto read = source_.status(); !read) return fail(std::move(read.error()));
        return std::move(document_);
    }

  private:
    // Everything still open ends here; what was a block is reported as unfinished.
    void begin_job(std::uint64_t offset) {
        while (stack_.size() > 1) close_unfinished(offset);
        flush_pending(stack_.front());
        continued_ = nullptr;
        context_.reset_at(offset);
        seen_eof_ = false;
        tell_plates(document_, signals_, told_);
        signals_ = PlateSignals{};
        told_ = {document_.references.size(), document_.pages};
    }

    Frame& top() { return stack_.back(); }

    // For what only matters once there are pictures: a job without any is not read token by token. In a prolog comment
    // look-alikes are common.
    bool in_string(const DscLine& line) {
        return (document_.seen_opi || top().kind == FrameKind::section) && context_.in_string(line.begin_bytes);
    }

    void close_unfinished(std::uint64_t offset) {
        Frame frame = std::move(stack_.back());
        stack_.pop_back();
        flush_pending(frame);
        if (frame.kind == FrameKind::included_2_0) {
            top().open->reference.problems.emplace_back("%%BeginIncludedImage has no %%EndIncludedImage");
        } else if (frame.kind == FrameKind::object_1_3) {
            frame.open->reference.problems.emplace_back("%%BeginObject: image has no %%EndObject");
            finish(std::move(*frame.open), offset);
        } else if (frame.kind == FrameKind::opi_2_0) {
            frame.open->reference.problems.emplace_back("%%BeginOPI has no %%EndOPI");
            finish(std::move(*frame.open), offset);
        } else if (frame.kind == FrameKind::section) {
            for (Reference& reference : frame.tentative) file_reference(std::move(reference));
        }
    }

    // The block a finished reference lies in is the nearest one that is being replaced.
    void file_reference(Reference reference) {
        for (std::size_t i = stack_.size(); i-- > 0;) {
            Frame& frame = stack_[i];
            if (frame.kind == FrameKind::section) return insert_in_order(frame.tentative, std::move(reference));
            if (frame.open) return insert_in_order(frame.open->reference.inner, std::move(reference));
        }
        insert_in_order(document_.references, std::move(reference));
    }

    void finish(OpenReference open, std::uint64_t end) {
        Reference& reference = open.reference;
        const OpiVersion version = reference.comments.version;
        reference.comments = parse_opi_comments(version, open.raw);
        if (!reference.comments.has_name()) {
            if (version == OpiVersion::v1_3) return;  // remarks without a name are no reference
            reference.problems.emplace_back("the block names no image (%%ImageFileName is missing)");
        }
        reference.block.end = end;
        for (const std::string& problem : reference.comments.problems) reference.problems.push_back(problem);
        file_reference(std::move(reference));
    }

    // A run of 1.3 comments whose object never came: the producer left the picture out (comments only).
    void flush_pending(Frame& frame) {
        if (!frame.pending) return;
        OpenReference open = std::move(*frame.pending);
        frame.pending.reset();
        const std::uint64_t behind = open.reference.comment_lines.back().end;
        open.reference.body = {behind, behind};
        open.reference.in_procedure = context_.in_procedure(behind);
        finish(std::move(open), behind);
    }

    OpenReference new_reference(OpiVersion version, const DscLine& line) {
        document_.seen_opi = true;
        OpenReference open;
        open.reference.comments.version = version;
        open.reference.page = document_.pages;
        open.reference.plate = signals_.bracket();  // tell_plates has the last word
        open.reference.page_box = page_box_ ? page_box_ : document_.document_box;
        open.reference.depth = document_depth(stack_);
        open.reference.line = lines_.line_at(line.begin_bytes);
        open.reference.block.begin = line.begin_bytes;
        return open;
    }

    void take(const DscLine& line) {
        const std::string_view text = line.text;
        if (text.starts_with("%!")) return take_header(line);
        if (text.starts_with("%%+")) return take_continuation(line);
        continued_ = nullptr;
        if (is_opi_1_3_keyword(keyword_of(text))) return take_1_3(line);
        if (!text.starts_with("%%")) return;
        if (take_structure(line) || take_object(line) || take_2_0(line)) return;
        take_header_comment(line);
    }

    void take_header(const DscLine& line) {
        if (seen_eof_ && document_depth(stack_) == 0) begin_job(line.begin_bytes);
    }

    void take_continuation(const DscLine& line) {
        continue_header_list(document_, line);
        if (continued_ == nullptr) return signals_.take_continuation(line.text);
        continued_->raw.back().value += " " + std::string(trim(line.text.substr(3)));  // may follow without a blank
        if (top().kind != FrameKind::included_2_0)
            continued_->reference.comment_lines.push_back({line.begin_bytes, line.next_bytes});
    }

    void add_comment(OpenReference& open, const DscLine& line) {
        open.raw.push_back({std::string(keyword_of(line.text)), std::string(value_of(line.text))});
        open.reference.comment_lines.push_back({line.begin_bytes, line.next_bytes});
        continued_ = &open;
    }

    void take_1_3(const DscLine& line) {
        if (context_.in_string(line.begin_bytes)) return;
        Frame& frame = top();
        const bool names = has_keyword(line.text, "%ALDImageFilename");
        if (names && frame.pending && has_raw(*frame.pending, "%ALDImageFilename") &&
            has_raw(*frame.pending, "%ALDImagePosition"))
            flush_pending(frame);
        if (!frame.pending) frame.pending = new_reference(OpiVersion::v1_3, line);
        add_comment(*frame.pending, line);
    }

    bool take_structure(const DscLine& line) {
        const std::string_view text = line.text;
        if (has_keyword(text, "%%BeginDocument")) {
            if (!context_.in_string(line.begin_bytes)) stack_.push_back(Frame{FrameKind::document, {}, {}, {}, {}});
            return true;
        }
        if (has_keyword(text, "%%EndDocument")) {
            if (document_depth(stack_) > 0 && !context_.in_string(line.begin_bytes)) end_document(line.begin_bytes);
            return true;
        }
        if (has_keyword(text, "%%Page")) {
            if (document_depth(stack_) == 0 && !has_frame(stack_, FrameKind::object_1_3) &&
                !has_frame(stack_, FrameKind::included_2_0))
                begin_page(line);
            return true;
        }
        if (has_keyword(text, "%%PageBoundingBox") && document_depth(stack_) == 0) {
            page_box_ = parse_page_box(text);
            return true;
        }
        if (document_depth(stack_) == 0 && stack_.size() == 1) note_header_list(document_, line, source_);
        if (document_depth(stack_) == 0 && signals_.take(text)) return true;
        if (has_keyword(text, "%%EOF")) {
            if (document_depth(stack_) == 0 && stack_.size() == 1) {
                flush_pending(top());
                seen_eof_ = true;
            }
            return true;
        }
        return take_section(line);
    }

    void end_document(std::uint64_t offset) {
        while (top().kind != FrameKind::document) close_unfinished(offset);
        flush_pending(top());
        stack_.pop_back();
    }

    void begin_page(const DscLine& line) {
        if (in_string(line)) return;
        while (top().kind == FrameKind::section) close_unfinished(line.begin_bytes);
        flush_pending(top());
        if (stack_.size() == 1 && line.begin_bytes < cuts_end_)
            document_.last_cut = PageCut{line.begin_bytes, document_.pages, document_.warnings.size()};
        context_.reset_at(line.begin_bytes);
        ++document_.pages;
        page_box_.reset();
        signals_.begin_page(line.text);
    }

    bool take_section(const DscLine& line) {
        for (const auto& [begin, end] : sections) {
            if (has_keyword(line.text, begin)) {
                flush_pending(top());
                stack_.push_back(Frame{FrameKind::section, std::string(end), {}, {}, {}});
                return true;
            }
            if (!has_keyword(line.text, end)) continue;
            if (top().kind == FrameKind::section && equals_ignoring_case(top().end_keyword, end)) end_section();
            return true;
        }
        return false;
    }

    // Procedure sets hold comment templates, not pictures; a whole block in there is still worth a word.
    void end_section() {
        flush_pending(top());
        for (const Reference& reference : top().tentative)
            document_.warnings.push_back("line " + std::to_string(reference.line) + ": an OPI block for '" +
                                         printable(reference.comments.shown_name()) +
                                         "' stands in a prolog or resource section and was left as it is");
        stack_.pop_back();
    }

    bool take_object(const DscLine& line) {
        if (has_keyword(line.text, "%%BeginObject")) {
            if (!in_string(line)) begin_object(line);
            return true;
        }
        if (!has_keyword(line.text, "%%EndObject")) return false;
        if (in_string(line)) return true;
        const bool known = has_frame(stack_, FrameKind::object) || has_frame(stack_, FrameKind::object_1_3);
        if (!known) return true;
        while (top().kind != FrameKind::object && top().kind != FrameKind::object_1_3)
            close_unfinished(line.begin_bytes);
        flush_pending(top());
        Frame frame = std::move(top());
        stack_.pop_back();
        if (frame.kind == FrameKind::object_1_3) end_object(std::move(*frame.open), line);
        return true;
    }

    void begin_object(const DscLine& line) {
        std::optional<OpenReference> pending = std::exchange(top().pending, std::nullopt);
        const bool image = starts_with_ignoring_case(value_of(line.text), "image");
        if (!image || !pending) {
            top().pending = std::move(pending);
            stack_.push_back(Frame{FrameKind::object, {}, {}, {}, {}});
            return;
        }
        pending->reference.body.begin = line.begin_bytes;
        pending->reference.in_procedure = context_.in_procedure(line.begin_bytes);
        pending->has_body = true;
        stack_.push_back(Frame{FrameKind::object_1_3, {}, std::move(pending), {}, {}});
    }

    void end_object(OpenReference open, const DscLine& line) {
        open.reference.body.end = line.next_bytes;
        open.reference.object_unbalanced =
            !is_balanced_object(source_, open.reference.body.begin, open.reference.body.end);
        context_.resume_behind(open.reference.body.end, open.reference.in_procedure);
        finish(std::move(open), line.next_bytes);
    }

    bool take_2_0(const DscLine& line) {
        const std::string_view text = line.text;
        if (has_keyword(text, "%%BeginOPI")) {
            if (!context_.in_string(line.begin_bytes)) begin_opi(line);
            return true;
        }
        if (has_keyword(text, "%%EndOPI")) {
            if (has_frame(stack_, FrameKind::opi_2_0) && !context_.in_string(line.begin_bytes)) end_opi(line);
            return true;
        }
        if (has_keyword(text, "%%BeginIncludedImage")) {
            if (top().kind == FrameKind::opi_2_0) begin_included(line);
            return true;
        }
        if (has_keyword(text, "%%EndIncludedImage")) {
            if (has_frame(stack_, FrameKind::included_2_0)) end_included(line);
            return true;
        }
        if (!is_opi_2_0_keyword(keyword_of(text))) return false;
        if (OpenReference* open = open_2_0()) {
            const bool in_body = top().kind == FrameKind::included_2_0;
            add_comment(*open, line);
            if (in_body) open->reference.comment_lines.pop_back();  // it goes with the body
        }
        return true;
    }

    OpenReference* open_2_0() {
        if (top().kind == FrameKind::opi_2_0) return &*top().open;
        if (top().kind == FrameKind::included_2_0) return &*stack_[stack_.size() - 2].open;
        return nullptr;
    }

    void begin_opi(const DscLine& line) {
        if (top().kind == FrameKind::opi_2_0) {
            top().open->reference.problems.emplace_back("a second %%BeginOPI stands before %%EndOPI");
            top().open->reference.comment_lines.push_back({line.begin_bytes, line.next_bytes});
            return;
        }
        OpenReference open = new_reference(OpiVersion::v2_0, line);
        open.reference.comment_lines.push_back({line.begin_bytes, line.next_bytes});
        const auto version = parse_real(trim(value_of(line.text)));
        if (!version || *version != 2.0)
            open.reference.problems.push_back("OPI version '" + printable(trim(value_of(line.text))) +
                                              "' is not known, only 2.0 is");
        stack_.push_back(Frame{FrameKind::opi_2_0, {}, std::move(open), {}, {}});
    }

    void begin_included(const DscLine& line) {
        Reference& reference = top().open->reference;
        if (top().open->has_body) reference.problems.emplace_back("a second %%BeginIncludedImage stands in one block");
        top().open->has_body = true;
        reference.body.begin = line.begin_bytes;
        reference.in_procedure = context_.in_procedure(line.begin_bytes);
        stack_.push_back(Frame{FrameKind::included_2_0, {}, {}, {}, {}});
    }

    void end_included(const DscLine& line) {
        while (top().kind != FrameKind::included_2_0) close_unfinished(line.begin_bytes);
        flush_pending(top());
        stack_.pop_back();
        ByteRange& body = top().open->reference.body;
        body.end = line.next_bytes;
        context_.resume_behind(body.end, top().open->reference.in_procedure);
    }

    void end_opi(const DscLine& line) {
        while (top().kind != FrameKind::opi_2_0) close_unfinished(line.begin_bytes);
        flush_pending(top());
        OpenReference open = std::move(*top().open);
        stack_.pop_back();
        open.reference.comment_lines.push_back({line.begin_bytes, line.next_bytes});
        if (!open.has_body)
            open.reference.problems.emplace_back(
                "the block has no %%BeginIncludedImage, so there is no place for the picture");
        drop_twin(open);
        finish(std::move(open), line.next_bytes);
    }

    // Comments of both versions side by side describe one placement.
    void drop_twin(OpenReference& open) {
        std::optional<OpenReference>& pending = top().pending;
        if (!pending || !names_same_picture(*pending, open)) return;
        auto& lines = open.reference.comment_lines;
        const auto& earlier = pending->reference.comment_lines;
        lines.insert(lines.begin(), earlier.begin(), earlier.end());
        open.reference.block.begin = pending->reference.block.begin;
        pending.reset();
    }

    void take_header_comment(const DscLine& line) {
        if (document_depth(stack_) != 0 || stack_.size() != 1) return;
        if (has_keyword(line.text, "%%BoundingBox") && document_.pages == 0)
            document_.document_box = parse_page_box(line.text);
        note_header_comment(document_, line);
    }

    ByteSource& source_;
    DscScanner scanner_;
    PsContext context_;
    LineCounter lines_;
    ThinDocument document_;
    std::vector<Frame> stack_;
    OpenReference* continued_ = nullptr;  // whose last comment a %%+ continues
    bool seen_eof_ = false;
    PlateSignals signals_;  // of the job being read; a file may hold several
    JobsRead told_;
    std::optional<BoundingBox> page_box_;
    // From here on more bytes could change what is read: so far is looked ahead.
    std::uint64_t cuts_end_ =
        source_.size_bytes() - std::min<std::uint64_t>(source_.size_bytes(), 2 * PsContext::string_reach_bytes);
};

}  // namespace

Result<ThinDocument> parse_thin_document(ByteSource& source, const ThinBefore& before) {
    return ThinParser(source, before).parse();
}

}  // namespace opispool::opi
