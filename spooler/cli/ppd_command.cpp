// SPDX-License-Identifier: AGPL-3.0-or-later
// `opispool ppd`: the description of a queue that a PostScript driver needs.
#include "base/percent_code.h"
#include "base/text.h"
#include "spooler/cli/command.h"
#include "spooler/cli/server_command.h"

namespace opispool::cli {

int run_ppd(const std::vector<std::string>& arguments) {
    CommandLine line("ppd QUEUE [OPTION]...",
                     "Prints the PPD of a queue. Give it to the workstation's PostScript driver, e.g.\n"
                     "  opispool ppd cover > cover.ppd\n"
                     "  lpadmin -p cover -E -v ipp://SERVER:8632/printers/cover -P cover.ppd\n");
    line.value("server", "HOST:PORT", "the daemon; default $OPISPOOL_SERVER, else 127.0.0.1:8632");
    line.arguments(1);
    if (const auto end = line.parse(arguments)) return *end;
    if (line.arguments().empty()) return line.usage_error("the queue's name is missing");
    const std::string queue = line.arguments().front();
    const auto server = choose_server(line);
    if (!server) return server.error();
    const auto reply = send_request(*server, "GET", "/printers/" + percent_encoded(queue) + ".ppd");
    if (reply && reply->ok()) return print(reply->body);
    return read_reply(reply, "queue " + printable(queue) + ": ").error();
}

}  // namespace opispool::cli
