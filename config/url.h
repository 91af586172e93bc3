#pragma once
//
// The parts of a server's or proxy's address. Private to this folder.
//
// By hand: Boost.URL 1.81 rejects IPv6 zones ("[fe80::1%25eth0]"), and takes any number for a port.
// Thread rules: pure functions.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fedra::config {

struct Url {
  std::string scheme;  // lower case
  bool has_user = false;
  std::string host;  // IPv6 with its brackets
  std::string port;  // empty: the scheme's
  std::string path;  // "" or "/prefix"
};

// A decimal port, 0 included.
std::optional<uint16_t> ParsePort(std::string_view text);

// "scheme://[user@]host[:port][/path]". nullopt for anything else: queries, fragments, spaces, bad
// ports.
std::optional<Url> ParseUrl(std::string_view text);

}  // namespace fedra::config
