#include "manager/http/beast_message.h"

#include <charconv>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/ascii.h"

namespace fedra::httpd {

namespace beast = boost::beast;
using boost::asio::ip::tcp;

Result<tcp::endpoint> ParseAddress(const std::string& address, const std::string& key) {
  const size_t colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  uint16_t port = 0;
  const std::string digits = colon == std::string::npos ? std::string() : address.substr(colon + 1);
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  boost::system::error_code error;
  const auto ip = boost::asio::ip::make_address(host, error);
  if (digits.empty() || parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size() ||
      error)
    return Fail(ErrorCode::kInvalidArgument, fmt::format("{} \"{}\" is not IP:port", key, address));
  return tcp::endpoint(ip, port);
}

// Why what came is no request that we take: a status and words. Nothing: there is none to answer.
std::optional<std::pair<int, std::string>> WhyUnreadable(boost::system::error_code why,
                                                         const Parser& parser,
                                                         const boost::beast::flat_buffer& buffer) {
  using beast::http::error;
  if (why.category() != make_error_code(error::bad_method).category()) return std::nullopt;
  if (why == error::end_of_stream || why == error::partial_message) return std::nullopt;
  if (why == error::body_limit)
    return std::pair(413, fmt::format("the body is longer than {} bytes", kMaxBody));
  if (why != error::header_limit && why != error::buffer_overflow)
    return std::pair(400, fmt::format("not an HTTP request: {}", why.message()));
  const std::string_view read(static_cast<const char*>(buffer.data().data()), buffer.size());
  const bool has_line = !parser.get().target().empty() || read.find('\n') != read.npos;
  if (has_line)
    return std::pair(431, fmt::format("the headers are longer than {} bytes", kMaxRequest));
  return std::pair(414, fmt::format("the URL is longer than {} bytes", kMaxRequest));
}

Request ToRequest(Parser& parser) {
  Request request{std::string(parser.get().target())};
  for (const auto& field : parser.get())
    request.headers.emplace(ToLower(std::string_view(field.name_string())),
                            std::string(field.value()));
  request.is_post = parser.get().method() == beast::http::verb::post;
  if (request.is_post) request.body = std::move(parser.get().body());
  return request;
}

Response ToResponse(const Parser& parser, Answer answer, bool may_go_on) {
  const auto& request = parser.get();
  Response response(static_cast<beast::http::status>(answer.status), 11);
  for (const auto& [name, value] : answer.headers) response.insert(name, value);
  if (answer.status == 405 && response.find(beast::http::field::allow) == response.end())
    response.set(beast::http::field::allow, "GET, HEAD");
  // Behind a body that we do not read there is no next request to be found.
  response.keep_alive(parser.is_done() && request.keep_alive() && may_go_on);
  if (answer.status == 304) return response;
  response.set(beast::http::field::content_type, answer.content_type);
  if (answer.goes_on && request.method() != beast::http::verb::head) {
    // What follows is framed by LongAnswer; HTTP/1.0 knows the end of the connection only.
    response.keep_alive(false);
    if (request.version() >= 11) response.set(beast::http::field::transfer_encoding, "chunked");
    return response;
  }
  response.content_length(answer.body.size());
  if (request.method() != beast::http::verb::head) response.body() = std::move(answer.body);
  return response;
}

}  // namespace fedra::httpd
