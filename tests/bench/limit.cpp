// SPDX-License-Identifier: AGPL-3.0-or-later
// limit sendfile|copy PORT FILE...: what the machine itself can do. Sends the files, one after another on one
// connection, by sendfile(2), or by read(2) and write(2) of one megabyte at a time. The receiver has the clock.
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "tests/bench/loopback.h"

namespace {

using opispool::UniqueFd;
using opispool::bench::leave;

void send_by_sendfile(const UniqueFd& to, const UniqueFd& file) {
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) leave("fstat");
    off_t offset = 0;
    while (offset < status.st_size) {
        const auto left = static_cast<std::size_t>(status.st_size - offset);
        if (::sendfile(to.get(), file.get(), &offset, left) <= 0) leave("sendfile");
    }
}

void send_by_copy(const UniqueFd& to, const UniqueFd& file, std::vector<char>& buffer) {
    while (true) {
        const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
        if (got < 0) leave("read");
        if (got == 0) return;
        for (ssize_t done = 0; done < got;) {
            const ssize_t put = ::write(to.get(), buffer.data() + done, static_cast<std::size_t>(got - done));
            if (put <= 0) leave("write");
            done += put;
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view way = argc > 3 ? argv[1] : "";
    const auto number = argc > 3 ? opispool::parse_u64(argv[2]) : std::nullopt;
    const auto port = number ? opispool::checked_cast<std::uint16_t>(*number) : std::nullopt;
    if (!port || (way != "sendfile" && way != "copy")) {
        std::fprintf(stderr, "usage: limit sendfile|copy PORT FILE...\n");
        return 2;
    }
    const UniqueFd to = opispool::bench::connect_to(*port);
    std::vector<char> buffer(1U << 20U);
    for (int i = 3; i < argc; ++i) {
        const UniqueFd file(::open(argv[i], O_RDONLY | O_CLOEXEC));
        if (!file) leave(argv[i]);
        if (way == "sendfile")
            send_by_sendfile(to, file);
        else
            send_by_copy(to, file, buffer);
    }
    return 0;
}
