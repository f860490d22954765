// SPDX-License-Identifier: AGPL-3.0-or-later
// One IPP request from the first byte of its HTTP body to the bytes of the answer. The document streams into the spool;
// what is kept in memory are the attributes and a window.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "spooler/intake/spool_writer.h"
#include "spooler/ipp/attribute_part.h"
#include "spooler/ipp/inflater.h"
#include "spooler/ipp/ipp_door.h"

namespace opispool::ipp {

//   thread  loop       owner  the HTTP session; dropped before finish(): nothing of it stays
class IppExchange {
  public:
    //   door      outlives the exchange
    //   gzip      the whole body is packed (Content-Encoding)
    //   expected_bytes  of the body, 0 if not known
    IppExchange(IppDoor& door, Caller caller, bool gzip, std::uint64_t expected_bytes);
    IppExchange(const IppExchange&) = delete;
    IppExchange& operator=(const IppExchange&) = delete;
    ~IppExchange();

    // The next bytes of the body, in any split.
    boost::asio::awaitable<void> take(std::span<const std::byte> piece);
    // Refused: what still comes makes no difference.
    bool refused() const { return reply_.has_value(); }
    // The body is whole. What was promised in the answer is durable.
    boost::asio::awaitable<std::string> finish();

  private:
    using Sink = std::function<boost::asio::awaitable<void>(std::span<const std::byte>)>;
    boost::asio::awaitable<void> unpack(Inflater& inflater, std::span<const std::byte> packed, Sink sink);
    boost::asio::awaitable<void> take_plain(std::span<const std::byte> piece);
    boost::asio::awaitable<void> take_document(std::span<const std::byte> piece);
    boost::asio::awaitable<void> keep(std::span<const std::byte> piece);
    boost::asio::awaitable<void> begin_document();
    boost::asio::awaitable<Reply> complete();
    void begin();
    void refuse(ipp_status_t status, std::string text);
    void refuse(const Error& error);
    bool is_postscript() const;
    bool takes_document() const;

    IppDoor& door_;
    Caller caller_;
    std::uint64_t expected_bytes_;
    AttributePart attributes_;
    std::unique_ptr<Inflater> body_inflater_, document_inflater_;
    std::optional<Request> request_;
    Target target_;
    std::optional<IppDoor::Document> document_;
    std::vector<std::byte> beginning_;  // of the document, until it is clear what it is
    std::unique_ptr<spooler::SpoolWriter> writer_;
    std::optional<Reply> reply_;
};

}  // namespace opispool::ipp
