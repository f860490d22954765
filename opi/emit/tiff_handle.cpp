// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/emit/tiff_handle.h"

#include <tiffio.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/text.h"

namespace opispool::opi {

namespace {

// A single strip or tile above this is refused rather than loaded.
constexpr tmsize_t max_allocation_bytes = tmsize_t{512} << 20;

TiffHandle::State& state_of(thandle_t handle) {
    return *static_cast<TiffHandle::State*>(handle);
}

tmsize_t read_bytes(thandle_t handle, void* out, tmsize_t size) {
    auto& state = state_of(handle);
    if (size <= 0) return 0;
    auto got = state.file->read_at(state.position, {static_cast<std::byte*>(out), static_cast<std::size_t>(size)});
    if (!got) return -1;
    state.position += *got;
    return static_cast<tmsize_t>(*got);
}

tmsize_t refuse_write(thandle_t, void*, tmsize_t) {
    return -1;
}

toff_t seek(thandle_t handle, toff_t offset, int whence) {
    auto& state = state_of(handle);
    if (whence == SEEK_SET) state.position = offset;
    if (whence == SEEK_CUR) state.position += offset;
    if (whence == SEEK_END) state.position = state.file->size() + offset;
    return state.position;
}

int close_nothing(thandle_t) {
    return 0;
}
toff_t size_of(thandle_t handle) {
    return state_of(handle).file->size();
}

std::string formatted(const char* format, va_list arguments) {
    std::array<char, 512> text{};
    std::vsnprintf(text.data(), text.size(), format, arguments);
    return printable(text.data());
}

int on_error(TIFF*, void* user, const char*, const char* format, va_list arguments) {
    auto& state = *static_cast<TiffHandle::State*>(user);
    std::string text = formatted(format, arguments);
    if (text.find("limit") != std::string::npos && text.find("alloc") != std::string::npos) state.too_large = true;
    if (state.complaint.empty()) state.complaint = std::move(text);
    return 1;
}

int on_warning(TIFF*, void* user, const char*, const char* format, va_list arguments) {
    auto& state = *static_cast<TiffHandle::State*>(user);
    std::string text = formatted(format, arguments);
    // The fax decoders fill the missing rows with white and only warn: for a plate that is an error.
    const bool ends_early = text.find("remature") != std::string::npos;
    if (ends_early && state.complaint.empty()) state.complaint = std::move(text);
    return 1;
}

}  // namespace

Result<std::unique_ptr<TiffHandle>> TiffHandle::open(std::shared_ptr<const MappedFile> file, std::uint64_t ifd_bytes) {
    auto state = std::make_unique<State>();
    state->file = std::move(file);
    std::unique_ptr<TiffHandle> handle(new TiffHandle(std::move(state)));
    TIFFOpenOptions* options = TIFFOpenOptionsAlloc();
    if (options == nullptr) return fail(Code::internal, Operation::decode, "libtiff can't be started");
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, max_allocation_bytes);
    TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, handle->state_.get());
    TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, handle->state_.get());
    // r: read; h: not the first directory, it may be a thumbnail; m: never map; c: keep strips as they are in the file.
    handle->tiff_ = TIFFClientOpenExt(handle->state_->file->name().c_str(), "rhmc", handle->state_.get(), read_bytes,
                                      refuse_write, seek, close_nothing, size_of, nullptr, nullptr, options);
    TIFFOpenOptionsFree(options);
    if (handle->tiff_ == nullptr || TIFFSetSubDirectory(handle->tiff_, ifd_bytes) == 0)
        return fail(handle->error("the image directory can't be read"));
    handle->state_->complaint.clear();
    return handle;
}

TiffHandle::~TiffHandle() {
    if (tiff_ != nullptr) TIFFClose(tiff_);
}

Error TiffHandle::error(const std::string& what) const {
    std::string text = what;
    if (!state_->complaint.empty()) text += " (" + state_->complaint + ")";
    return Error{state_->too_large ? Code::too_large : Code::bad_image,
                 Operation::decode,
                 std::move(text),
                 state_->file->name(),
                 {}};
}

}  // namespace opispool::opi
