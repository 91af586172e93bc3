#include "manager/api/delivery.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/gzip.h"
#include "base/hash.h"
#include "manager/api/problem.h"

namespace fedra::api {
namespace {

// Below this packing saves no packet.
constexpr size_t kWorthPacking = 1024;

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Calls `each` with the trimmed parts between separators, empty ones left out, until it says true.
template <class F>
bool AnyPart(std::string_view text, char separator, F&& each) {
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    if (!Trimmed(part).empty() && each(Trimmed(part))) return true;
  }
  return false;
}

// "gzip;q=0.0" is refused, "gzip" and "gzip;q=0.5" are not.
bool IsRefused(std::string_view parameters) {
  return AnyPart(parameters, ';', [](std::string_view part) {
    if (!ToLower(part).starts_with("q=")) return false;
    return part.substr(2).find_first_not_of("0.") == part.npos;
  });
}

// The name in front of the parameters, in lower case, and these.
std::pair<std::string, std::string_view> Split(std::string_view element) {
  const size_t semicolon = std::min(element.find(';'), element.size());
  return {ToLower(Trimmed(element.substr(0, semicolon))), element.substr(semicolon)};
}

// The most exact element decides. `specificity` of a name: 0 when it does not cover what is asked.
template <class F>
bool Takes(std::string_view header, bool if_unsaid, F&& specificity) {
  int best = 0;
  bool takes = if_unsaid;
  AnyPart(header, ',', [&](std::string_view element) {
    const auto [name, parameters] = Split(element);
    const int exact = specificity(name);
    if (exact > best) {
      best = exact;
      takes = !IsRefused(parameters);
    }
    return false;
  });
  return takes;
}

// "fedra.example:80" -> "fedra.example", "[::1]:80" -> "[::1]".
std::string HostIn(const std::string& header) {
  if (header.starts_with('[')) return header.substr(0, header.find(']') + 1);
  return ToLower(header.substr(0, header.find(':')));
}

bool IsAddress(std::string_view host) {
  return host.starts_with('[') || host.find_first_not_of("0123456789.") == host.npos;
}

}  // namespace

bool Accepts(std::string_view accept, std::string_view type) {
  if (Trimmed(accept).empty()) return true;
  const std::string family = std::string(type.substr(0, type.find('/'))) + "/*";
  return Takes(accept, false, [&](const std::string& name) {
    return name == type ? 3 : name == family ? 2 : name == "*/*" ? 1 : 0;
  });
}

bool AcceptsGzip(std::string_view accept_encoding) {
  return Takes(accept_encoding, false, [](const std::string& name) {
    return name == "gzip" ? 2 : name == "*" ? 1 : 0;
  });
}

bool HasTag(std::string_view if_none_match, std::string_view tag) {
  const auto opaque = [](std::string_view text) {
    return text.starts_with("W/") ? text.substr(2) : text;
  };
  return AnyPart(if_none_match, ',',
                 [&](std::string_view part) { return part == "*" || opaque(part) == opaque(tag); });
}

std::optional<httpd::Answer> RefusalOf(const httpd::Request& request) {
  // Clients of a Unix socket send what they like; a browser sends what its page was loaded from.
  const auto is_ours = [](const std::string& host) { return host == "fedra"; };
  if (auto refusal = RefusalOfHost(request, is_ours)) return refusal;
  return RefusalOfOtherSites(request);
}

std::optional<httpd::Answer> RefusalOfHost(
    const httpd::Request& request, const std::function<bool(const std::string& host)>& is_ours) {
  const std::string host = HostIn(HeaderOf(request, "host"));
  if (!host.empty() && host != "localhost" && !IsAddress(host) && !is_ours(host))
    return Problem(421, fmt::format("this is not the server of {}", host));
  return std::nullopt;
}

std::optional<httpd::Answer> RefusalOfOtherSites(const httpd::Request& request) {
  const std::string site = HeaderOf(request, "sec-fetch-site");
  if (!site.empty() && site != "same-origin" && site != "none")
    return Problem(403, "pages of other sites may not ask here");
  return std::nullopt;
}

httpd::Answer Deliver(const httpd::Request& request, httpd::Answer answer, std::string_view news) {
  // What was posted is asked anew each time (RFC 9110, 9.3.3).
  const std::string tag = request.is_post ? std::string() : fmt::format("W/\"{}\"", HashHex(news));
  if (!tag.empty()) answer.headers.emplace_back("ETag", tag);
  answer.headers.emplace_back("Cache-Control", request.is_post ? "no-store" : "private, no-cache");
  answer.headers.emplace_back("Vary", "Accept-Encoding");
  answer.headers.emplace_back("X-Content-Type-Options", "nosniff");
  if (!tag.empty() && HasTag(HeaderOf(request, "if-none-match"), tag)) {
    answer.status = 304;
    answer.body.clear();
  } else if (answer.body.size() >= kWorthPacking &&
             AcceptsGzip(HeaderOf(request, "accept-encoding"))) {
    answer.body = Gzip(answer.body, GzipLevel::kFast);
    answer.headers.emplace_back("Content-Encoding", "gzip");
  }
  return answer;
}

}  // namespace fedra::api
