// SPDX-License-Identifier: AGPL-3.0-or-later
// The owner of one Ghostscript interpreter (libgs allows one a process). Only the program opispool-gs links this.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace opispool::opi {

class GsInstance {
  public:
    using TextSink = std::function<void(std::string_view)>;

    // arguments  of gs, without the program name
    // output     takes what the job and gs print, in pieces cut anywhere
    //   A state() of `failed` afterwards: the interpreter does not start.
    GsInstance(const std::vector<std::string>& arguments, TextSink output);
    GsInstance(const GsInstance&) = delete;
    GsInstance& operator=(const GsInstance&) = delete;
    ~GsInstance();

    enum class State { running, ended, failed };
    State state() const { return state_; }

    // Interprets the next bytes of one endless program; `currentfile` reads on in the bytes fed later.
    State feed(std::string_view bytes);
    // No more bytes follow.
    State finish();

  private:
    State take(int code);

    TextSink output_;
    void* instance_ = nullptr;
    State state_ = State::failed;
};

}  // namespace opispool::opi
