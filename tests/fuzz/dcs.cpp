// SPDX-License-Identifier: AGPL-3.0-or-later
// The plates of a DCS: wherever they are found they lie inside the file, and what passes for a picture can be read
// whole.
#include "opi/dcs_file.h"
#include "opi/image_probe.h"
#include "opi/plate_raster.h"
#include "tests/fuzz/memory_file.h"

namespace {

using opispool::fuzz::look_at;
using opispool::fuzz::require;

void read_plate(const opispool::opi::LocatedPlate& plate) {
    const auto raster = opispool::opi::read_plate_raster(plate);
    if (!raster) {
        require(!raster.error().text.empty(), "an error says why");
        require(raster.error().code != opispool::Code::internal, "an input never is a bug");
        return;
    }
    const std::uint64_t row = (std::uint64_t{raster->width_px} * raster->bits + 7) / 8;
    require(raster->rows->length_bytes() == row * raster->height_px, "rows are whole");
    const auto whole = opispool::opi::verify_supply(*raster->rows);
    require(whole.has_value(), "what was proved can be read");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto file = opispool::fuzz::memory_file(data, size);
    const auto info = opispool::opi::probe_image(file);
    if (!info || !info->dcs) {
        read_plate({"Cyan", file, 0, size});
        return 0;
    }
    const auto beside = [](const std::string&) -> opispool::Result<std::shared_ptr<const opispool::MappedFile>> {
        return opispool::fail(opispool::Code::not_found, opispool::Operation::resolve, "is not here");
    };
    const auto plates = opispool::opi::locate_plates(file, info->eps_begin_bytes, *info->dcs, beside);
    if (!plates) {
        look_at(opispool::describe(plates.error()));
        return 0;
    }
    for (const auto& plate : *plates) {
        require(plate.begin_bytes < plate.end_bytes && plate.end_bytes <= size, "a plate lies inside the file");
        read_plate(plate);
    }
    return 0;
}
