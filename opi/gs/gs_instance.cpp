// SPDX-License-Identifier: AGPL-3.0-or-later
#include "opi/gs/gs_instance.h"

#include <ghostscript/iapi.h>
#include <ghostscript/ierrors.h>

#include <algorithm>

namespace opispool::opi {

namespace {

// gs refuses longer pieces.
constexpr std::size_t piece_bytes = 32768;

extern "C" int read_nothing(void*, char*, int) {
    return 0;
}

extern "C" int pass_on(void* sink, const char* text, int length) {
    if (length > 0)
        (*static_cast<GsInstance::TextSink*>(sink))(std::string_view(text, static_cast<std::size_t>(length)));
    return length;
}

}  // namespace

GsInstance::GsInstance(const std::vector<std::string>& arguments, TextSink output) : output_(std::move(output)) {
    if (gsapi_new_instance(&instance_, &output_) < 0) return;
    gsapi_set_stdio(instance_, read_nothing, pass_on, pass_on);
    gsapi_set_arg_encoding(instance_, GS_ARG_ENCODING_UTF8);
    std::vector<std::string> words{"gs"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    int exit_code = 0;
    if (gsapi_init_with_args(instance_, static_cast<int>(pointers.size()), pointers.data()) < 0) return;
    state_ = gsapi_run_string_begin(instance_, 0, &exit_code) < 0 ? State::failed : State::running;
}

GsInstance::~GsInstance() {
    if (instance_ == nullptr) return;
    gsapi_exit(instance_);
    gsapi_delete_instance(instance_);
}

GsInstance::State GsInstance::take(int code) {
    if (code == gs_error_Quit)
        state_ = State::ended;
    else if (code < 0 && code != gs_error_NeedInput)
        state_ = State::failed;
    return state_;
}

GsInstance::State GsInstance::feed(std::string_view bytes) {
    while (!bytes.empty() && state_ == State::running) {
        const std::string_view piece = bytes.substr(0, piece_bytes);
        bytes.remove_prefix(piece.size());
        int exit_code = 0;
        take(gsapi_run_string_continue(instance_, piece.data(), static_cast<unsigned>(piece.size()), 0, &exit_code));
    }
    return state_;
}

GsInstance::State GsInstance::finish() {
    if (state_ != State::running) return state_;
    int exit_code = 0;
    if (take(gsapi_run_string_end(instance_, 0, &exit_code)) == State::running) state_ = State::ended;
    return state_;
}

}  // namespace opispool::opi
