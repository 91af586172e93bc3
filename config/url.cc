#include "config/url.h"

#include <algorithm>
#include <charconv>

#include "base/ascii.h"

namespace fedra::config {
namespace {

bool IsGraphic(char c) {
  return c > 0x20 && c < 0x7f && c != '\\' && c != '"' && c != '<' && c != '>';
}

bool IsHost(std::string_view host) {
  const bool v6 = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (v6) host = host.substr(1, host.size() - 2);
  const std::string_view marks = v6 ? ":.%" : ".-_";
  return !host.empty() && std::all_of(host.begin(), host.end(), [&](char c) {
    return IsAlphanumeric(c) || marks.find(c) != std::string_view::npos;
  });
}

// Splits "host:port" or "[v6]:port"; the port stays empty when there is no colon.
bool SplitHost(std::string_view authority, Url& url) {
  const size_t bracket = authority.rfind(']');
  const size_t colon = authority.rfind(':');
  const bool has_port =
      colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  url.host = authority.substr(0, has_port ? colon : authority.size());
  if (has_port) url.port = authority.substr(colon + 1);
  return IsHost(url.host) && (!has_port || ParsePort(url.port).value_or(0) > 0);
}

}  // namespace

std::optional<uint16_t> ParsePort(std::string_view text) {
  uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return port;
}

std::optional<Url> ParseUrl(std::string_view text) {
  if (!std::all_of(text.begin(), text.end(), IsGraphic)) return std::nullopt;
  const size_t scheme_end = text.find("://");
  if (scheme_end == std::string_view::npos || text.find_first_of("?#") != std::string_view::npos) {
    return std::nullopt;
  }
  Url url;
  url.scheme = ToLower(text.substr(0, scheme_end));
  text.remove_prefix(scheme_end + 3);
  const size_t slash = text.find('/');
  std::string_view authority = text.substr(0, slash);
  if (slash != std::string_view::npos) url.path = text.substr(slash);
  if (const size_t at = authority.rfind('@'); at != std::string_view::npos) {
    url.has_user = true;
    authority.remove_prefix(at + 1);
  }
  if (!SplitHost(authority, url)) return std::nullopt;
  return url;
}

}  // namespace fedra::config
