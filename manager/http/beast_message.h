#pragma once
//
// Boost.Beast's requests and answers as ours, for listener.cc and beast_connection.*: including
// this pulls in Beast. Pure functions.

#include <optional>
#include <string>
#include <utility>

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>

#include "base/result.h"
#include "manager/http/message.h"

namespace fedra::httpd {

// Of request line and headers; 16 KiB is what most servers take.
inline constexpr size_t kMaxRequest = 16 << 10;

// Of a body, where one is taken at all.
inline constexpr size_t kMaxBody = size_t{1} << 20;

using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
using Response = boost::beast::http::response<boost::beast::http::string_body>;
using Serializer = boost::beast::http::response_serializer<boost::beast::http::string_body>;

// "127.0.0.1:9480". `key`: whose value it is, for the message.
Result<boost::asio::ip::tcp::endpoint> ParseAddress(const std::string& address,
                                                    const std::string& key);

// Why what came is no request that we take: a status and words. Nothing: there is none to answer.
std::optional<std::pair<int, std::string>> WhyUnreadable(boost::system::error_code why,
                                                         const Parser& parser,
                                                         const boost::beast::flat_buffer& buffer);

// Takes the body, as far as it has been read, out of the parser.
Request ToRequest(Parser& parser);

// To the request that `parser` has read. `may_go_on`: whether the connection takes another one.
Response ToResponse(const Parser& parser, Answer answer, bool may_go_on);

}  // namespace fedra::httpd
