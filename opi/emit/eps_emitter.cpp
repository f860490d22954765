// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/emit/eps_emitter.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "opi/emit/encoders.h"

namespace opispool::opi {

namespace {

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

// Under systemdict: a job may have redefined `save` or `concat` for its own ends, and the EPS may do so too.
std::string place_text(const EpsPlacement& placement, const std::string& key) {
    std::string text =
        "systemdict begin\n"
        // Made before save, because restore must not find a younger procedure running; bound, because the names may
        // mean something else once the EPS has run.
        "userdict /" +
        key + ".leave {{end} repeat restore grestore //userdict /" + key +
        ".leave undef} bind put\n"
        "gsave\n";
    if (placement.clip_to_user) text += clip_text(*placement.clip_to_user);
    if (!placement.eps_to_user) return text;
    text += matrix_text(*placement.eps_to_user) + " concat\n";
    if (placement.whole_box_clip)
        text += point_text({placement.box.llx, placement.box.lly}) + " " +
                point_text({placement.box.width(), placement.box.height()}) + " rectclip newpath\n";
    return text;
}

// The state is kept in a dictionary of its own: an EPS that clears the operand stack must not lose our save object.
std::string enter_text(const std::string& key) {
    return "save 6 dict begin /s exch def /n count 1 sub def /d countdictstack 2 sub def\n"
           "/m matrix currentmatrix def userdict /" +
           key +
           " currentdict put end\n"
           "0 setgray 0 setlinecap 1 setlinewidth 0 setlinejoin 10 setmiterlimit [] 0 setdash newpath\n"
           "false setoverprint false setstrokeadjust\n"
           "end userdict begin\n"
           "/showpage {} def /copypage {} def /erasepage {} def /initclip {} def /setpagedevice {pop} def\n"
           "/initmatrix {userdict /" +
           key +
           " get /m get setmatrix} def\n"
           "/initgraphics {initmatrix newpath 0 setgray 1 setlinewidth 0 setlinecap 0 setlinejoin [] 0 setdash 10 "
           "setmiterlimit} def\n";
}

std::string leave_text(const std::string& key) {
    const std::string get = "userdict /" + key + " get ";
    return "systemdict begin count " + get + "/n get sub dup 0 gt {{pop} repeat} {pop} ifelse\n" + get +
           "/s get countdictstack " + get + "/d get sub dup 0 lt {pop 0} if\nuserdict /" + key + ".leave get exec\n";
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

}  // namespace

void emit_eps(PlanBuilder& builder, const std::shared_ptr<const SplicePlan>& body, const std::string& name,
              bool clean_7_bit, const EpsPlacement& placement, ChannelEncoding encoding, unsigned number) {
    const std::string key = "opispool.eps" + std::to_string(number);
    builder.text(place_text(placement, key) + enter_text(key));
    if (encoding == ChannelEncoding::binary || clean_7_bit) {
        builder.text("%%BeginDocument: " + comment_name(name) + "\n");
        builder.append(*body);
        builder.text("\n%%EndDocument\n");
    } else {
        // Executed from a decoding filter; `currentfile` inside is that filter, so data in the EPS is found as before.
        const bool hex = encoding == ChannelEncoding::hex;
        builder.text(std::string("currentfile /") + (hex ? "ASCIIHexDecode" : "ASCII85Decode") + " filter cvx exec\n");
        builder.generated(encode_runs(std::make_shared<PlanSupply>(body), {body->total_bytes()}, encoding));
        builder.text("\n");
    }
    builder.text(leave_text(key));
}

}  // namespace opispool::opi
