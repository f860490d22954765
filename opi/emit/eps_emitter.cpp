// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/emit/eps_emitter.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "opi/emit/encoders.h"

namespace opispool::opi {

namespace {

constexpr std::uint64_t max_counted_bytes = 0x7FFF'FFFF;  // PostScript integers are 32-bit, signed

std::string matrix_text(const Matrix& m) {
    return "[" + format_real(m.a) + " " + format_real(m.b) + " " + format_real(m.c) + " " + format_real(m.d) + " " +
           format_real(m.e) + " " + format_real(m.f) + "]";
}

std::string point_text(Point p) {
    return format_real(p.x) + " " + format_real(p.y);
}

// As a path in user space, not by concat and back: the matrix in force must stay exact for what follows.
std::string clip_text(const Matrix& m) {
    return "newpath " + point_text(m.apply({0, 0})) + " moveto " + point_text(m.apply({0, 1})) + " lineto " +
           point_text(m.apply({1, 1})) + " lineto " + point_text(m.apply({1, 0})) + " lineto closepath clip newpath\n";
}

// What the stacks held is kept in a dictionary of the wrapper's own, in local VM: an EPS may clear them. Everything
// under systemdict: a job may have redefined `save` or `concat` for its own ends.
std::string keep_text(const std::string& key, const std::string& source) {
    const std::string own = "//" + key;
    return "systemdict begin\n"
           "currentglobal false setglobal count array astore userdict /" +
           key + " 9 dict put " + own + " exch /o exch put\n" + own + " /d countdictstack array dictstack put\n" + own +
           // Made before save, because restore must not find a younger procedure running; bound, because the names may
           // mean something else once the EPS has run. An error stops the job as it would have done without us.
           " /r {end //userdict begin //$error /newerror false put\n" + own + " /f " + source + " put " + own +
           " /f get cvx stopped " + own + " exch /e exch put\n" + own +
           " /e get {//$error /newerror get {stop} if} if " + own + " /f get flushfile\nclear cleardictstack " + own +
           " /s get restore grestore\n"
           "countdictstack 1 " +
           own + " /d get length 2 sub {" + own + " /d get exch get begin} for\n" + own +
           " /o get aload pop setglobal //userdict /" + key + " undef} bind put\n";
}

std::string enter_text(const std::string& key, bool own_operators) {
    const std::string own = "//" + key;
    std::string text = own + " /s save put " + own +
                       " /m matrix currentmatrix put\n"
                       "0 setgray 0 setlinecap 1 setlinewidth 0 setlinejoin 10 setmiterlimit [] 0 setdash newpath\n"
                       "false setoverprint false setstrokeadjust\n"
                       "[/showpage /copypage /erasepage /initclip] {userdict exch {} put} forall\n"
                       "userdict /setpagedevice {pop} put userdict /startjob {pop pop false} put\n"
                       "userdict /serverdict 1 dict dup /exitserver {pop} put put\n"
                       "userdict /quit {//$error /newerror false put stop} bind put\n"
                       "userdict /initmatrix {" +
                       own +
                       " /m get setmatrix} bind put\n"
                       "userdict /initgraphics {" +
                       own +
                       " /m get setmatrix newpath 0 setgray 1 setlinewidth 0 setlinecap "
                       "0 setlinejoin [] 0 setdash 10 setmiterlimit} bind put\n";
    if (own_operators)
        text +=
            "[/image /imagemask /colorimage /setgray /fill /eofill /rectfill /stroke /show]\n"
            "{dup systemdict exch get userdict 3 1 roll put} forall\n";
    return text + own + " /r get exec\n";
}

// A name that can stand in a DSC comment: one word of harmless characters.
std::string comment_name(const std::string& name) {
    std::string out;
    for (const char c : name) out += (c > ' ' && c < 127 && c != '(' && c != ')' && c != '%' && c != '\\') ? c : '_';
    return out.substr(0, 100);
}

// The bytes of a plan, read with pread: for encoding on the way out.
class PlanReader final : public ByteReader {
  public:
    explicit PlanReader(std::shared_ptr<const SplicePlan> plan) : plan_(std::move(plan)) {}

    Result<std::size_t> read(std::span<std::byte> out) override {
        std::size_t done = 0;
        while (done < out.size() && span_ < plan_->spans().size()) {
            auto got = read_span(plan_->spans()[span_], out.subspan(done));
            if (!got) return got;
            done += *got;
            within_ += *got;
            if (within_ < plan_->spans()[span_].length_bytes) continue;
            ++span_;
            within_ = 0;
            encoder_.reset();
        }
        return done;
    }

  private:
    Result<std::size_t> read_span(const Span& span, std::span<std::byte> out) {
        out = out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), span.length_bytes - within_)));
        if (span.kind == SpanKind::owned_text) {
            const char* from = plan_->text_pool().data() + span.offset_bytes + within_;
            std::copy_n(reinterpret_cast<const std::byte*>(from), out.size(), out.begin());
            return out.size();
        }
        Result<std::size_t> got = std::size_t{0};
        if (span.kind == SpanKind::file_range) {
            got = plan_->sources()[span.index]->read_at(span.offset_bytes + within_, out);
        } else {
            if (!encoder_) {
                auto started = plan_->generated()[span.index]->start();
                if (!started) return fail(std::move(started.error()));
                encoder_ = std::move(*started);
            }
            got = encoder_->produce(out);
        }
        if (got && *got == 0)
            return fail(Code::changed, Operation::read, "the EPS became shorter while it was being sent");
        return got;
    }

    std::shared_ptr<const SplicePlan> plan_;
    std::size_t span_ = 0;
    std::uint64_t within_ = 0;
    std::unique_ptr<Encoder> encoder_;
};

class PlanSupply final : public ByteSupply {
  public:
    explicit PlanSupply(std::shared_ptr<const SplicePlan> plan) : plan_(std::move(plan)) {}
    std::uint64_t length_bytes() const override { return plan_->total_bytes(); }
    Result<std::unique_ptr<ByteReader>> open() const override { return std::make_unique<PlanReader>(plan_); }
    std::string description() const override { return "EPS"; }

  private:
    std::shared_ptr<const SplicePlan> plan_;
};

// Why a range of the program and not the program itself: whatever the EPS leaves open or breaks off, the page behind it
// is read as a page.
std::string counted_source(std::uint64_t bytes) {
    return "currentfile " + std::to_string(bytes) + " () /SubFileDecode filter";
}

}  // namespace

std::string eps_frame(const EpsPlacement& placement) {
    std::string text = "gsave\n";
    if (placement.clip_to_user) text += clip_text(*placement.clip_to_user);
    if (!placement.eps_to_user) return text;
    text += matrix_text(*placement.eps_to_user) + " concat\n";
    if (placement.whole_box_clip)
        text += point_text({placement.box.llx, placement.box.lly}) + " " +
                point_text({placement.box.width(), placement.box.height()}) + " rectclip newpath\n";
    return text;
}

Result<void> emit_eps(PlanBuilder& builder, const EpsBody& eps, const EpsPlacement& placement,
                      ChannelEncoding encoding) {
    const std::string key = "opispool.eps" + std::to_string(eps.number);
    const bool as_it_is = encoding == ChannelEncoding::binary || eps.clean_7_bit;
    const std::string begin = "%%BeginDocument: " + comment_name(eps.name) + "\n";
    const std::string end = "\n%%EndDocument\n";
    const std::uint64_t bytes = begin.size() + eps.plan->total_bytes() + end.size();
    if (bytes > max_counted_bytes)
        return fail(Code::too_large, Operation::encode,
                    "the EPS is larger than 2 GB; place its pictures as TIFF files");
    // Executed from a filter; `currentfile` inside is that filter, so data in the EPS is found as before.
    const std::string filter =
        encoding == ChannelEncoding::hex ? "currentfile /ASCIIHexDecode filter" : "currentfile /ASCII85Decode filter";
    builder.text(keep_text(key, as_it_is ? counted_source(bytes) : filter) + eps_frame(placement) +
                 enter_text(key, eps.own_operators));
    if (as_it_is) {
        builder.text(begin);
        builder.append(*eps.plan);
        builder.text(end);
    } else {
        builder.generated(encode_runs(std::make_shared<PlanSupply>(eps.plan), {eps.plan->total_bytes()}, encoding));
        builder.text("\n");
    }
    return {};
}

void emit_paper(PlanBuilder& builder, const EpsPlacement& placement) {
    builder.text("systemdict begin " + eps_frame(placement) + "1 setgray " +
                 point_text({placement.box.llx, placement.box.lly}) + " " +
                 point_text({placement.box.width(), placement.box.height()}) + " rectfill grestore end\n");
}

}  // namespace opispool::opi
