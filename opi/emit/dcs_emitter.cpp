// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/emit/dcs_emitter.h"

#include <algorithm>
#include <string>
#include <utility>

#include "opi/emit/ps_image_header.h"
#include "opi/plate.h"

namespace opispool::opi {

namespace {

using Layers = std::vector<std::shared_ptr<const ByteSupply>>;  // null: a plate without ink

struct Shape {
    std::uint32_t width_px = 0, height_px = 0;
    std::uint16_t bits = 8;
    std::size_t row_bytes(std::size_t layers) const {
        return static_cast<std::size_t>((std::uint64_t{width_px} * bits * layers + 7) / 8);
    }
};

// Sample `index` of a row of packed samples.
unsigned sample(std::span<const std::byte> row, std::size_t index, unsigned bits) {
    const std::size_t at = index * bits;
    return std::to_integer<unsigned>(row[at / 8]) >> (8 - bits - at % 8) & ((1U << bits) - 1U);
}

class InterleavedReader final : public ByteReader {
  public:
    InterleavedReader(Shape shape, std::vector<std::unique_ptr<ByteReader>> readers)
        : shape_(shape), readers_(std::move(readers)), row_(shape.row_bytes(readers_.size())), used_(row_.size()) {
        for (std::size_t i = 0; i < readers_.size(); ++i) planes_.emplace_back(shape.row_bytes(1), std::byte{0xFF});
    }

    Result<std::size_t> read(std::span<std::byte> out) override {
        std::size_t filled = 0;
        while (filled < out.size()) {
            if (used_ == row_.size()) {
                if (rows_done_ == shape_.height_px) break;
                if (auto next = fill_row(); !next) return fail(std::move(next.error()));
            }
            const std::size_t count = std::min(out.size() - filled, row_.size() - used_);
            std::copy_n(row_.begin() + static_cast<std::ptrdiff_t>(used_), count,
                        out.begin() + static_cast<std::ptrdiff_t>(filled));
            used_ += count;
            filled += count;
        }
        return filled;
    }

  private:
    Result<void> fill_row() {
        for (std::size_t i = 0; i < readers_.size(); ++i) {
            if (!readers_[i]) continue;
            auto got = readers_[i]->read(planes_[i]);
            if (!got) return fail(std::move(got.error()));
            if (*got < planes_[i].size())
                return fail(Code::changed, Operation::read,
                            "a plate of the DCS became shorter while it was being sent");
        }
        std::fill(row_.begin(), row_.end(), std::byte{0});
        const std::size_t count = planes_.size();
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t x = 0; x < shape_.width_px; ++x) {
                const std::size_t at = (x * count + i) * shape_.bits;
                row_[at / 8] |= std::byte(sample(planes_[i], x, shape_.bits) << (8 - shape_.bits - at % 8));
            }
        }
        used_ = 0;
        ++rows_done_;
        return {};
    }

    Shape shape_;
    std::vector<std::unique_ptr<ByteReader>> readers_;
    std::vector<std::vector<std::byte>> planes_;
    std::vector<std::byte> row_;
    std::size_t used_;
    std::uint32_t rows_done_ = 0;
};

class InterleavedSupply final : public ByteSupply {
  public:
    InterleavedSupply(Shape shape, Layers layers) : shape_(shape), layers_(std::move(layers)) {}
    std::uint64_t length_bytes() const override {
        return std::uint64_t{shape_.row_bytes(layers_.size())} * shape_.height_px;
    }
    Result<std::unique_ptr<ByteReader>> open() const override {
        std::vector<std::unique_ptr<ByteReader>> readers;
        for (const auto& layer : layers_) {
            readers.emplace_back();
            if (!layer) continue;
            auto opened = layer->open();
            if (!opened) return opened;
            readers.back() = std::move(*opened);
        }
        return std::make_unique<InterleavedReader>(shape_, std::move(readers));
    }
    std::string description() const override { return "plates of a DCS"; }

  private:
    Shape shape_;
    Layers layers_;
};

struct Paint {
    std::string setup;
    Layers layers;
    int language_level = 2;
};

Paint paint(const std::vector<DcsLayer>& layers) {
    Paint out;
    Layers process(4);
    std::vector<Ink> inks;
    for (const DcsLayer& layer : layers) {
        inks.push_back(layer.ink);
        out.layers.push_back(layer.rows);
        if (const auto index = process_ink_index(canonical_ink(layer.ink.name))) process[*index] = layer.rows;
    }
    const auto known = static_cast<std::size_t>(
        std::count_if(process.begin(), process.end(), [](const auto& rows) { return rows != nullptr; }));
    if (known == layers.size()) {
        out.setup = "/DeviceCMYK setcolorspace\n";
        out.layers = std::move(process);
    } else if (layers.size() == 1) {
        out.setup = separation_space(inks.front()) + " setcolorspace\n";
    } else {
        out.setup = device_n_space(inks) + " setcolorspace\n";
        out.language_level = 3;
    }
    return out;
}

}  // namespace

Result<void> emit_dcs(PlanBuilder& builder, DcsImage image, const EpsPlacement& placement, const OutputProfile& profile,
                      UsedFeatures& used) {
    Paint painted = paint(image.layers);
    if (painted.language_level > profile.language_level)
        return fail(Code::unsupported, Operation::encode,
                    "a DCS with spot inks among others needs a Level 3 device; print separations, or on such a device");
    ImageCode code;
    code.overprint = image.overprint;
    code.width_px = image.width_px;
    code.height_px = image.height_px;
    code.image_matrix = image_matrix(image.width_px, image.height_px, 1);
    code.bits = image.bits;
    code.setup = std::move(painted.setup);
    code.decode = "[";
    for (std::size_t i = 0; i < painted.layers.size(); ++i) code.decode += i == 0 ? "1 0" : " 1 0";
    code.decode += "]";
    ImageData data;
    data.file = image.layers.front().file;
    data.rows = std::make_shared<InterleavedSupply>(Shape{image.width_px, image.height_px, image.bits},
                                                    std::move(painted.layers));
    // Every plate's identity is part of the plan, though none of its bytes pass as they are.
    std::vector<Ink> inks;
    for (const DcsLayer& layer : image.layers) {
        builder.add_source(layer.file);
        inks.push_back(layer.ink);
    }
    note_inks(inks, used);
    builder.text("systemdict begin " + eps_frame(placement));
    append_image(builder, code, data, RasterPlacement{image.unit_to_eps, std::nullopt, {}}, profile.encoding);
    builder.text("grestore end\n");
    used.binary_data = used.binary_data || profile.encoding == ChannelEncoding::binary;
    used.language_level = std::max(used.language_level, painted.language_level);
    return {};
}

}  // namespace opispool::opi
