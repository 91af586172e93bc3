#pragma once
//
// A request to the daemon and its answer as plain values, apart from sockets.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fedra::httpd {

struct Request {
  std::string target;  // path and query, as they came: percent-encoded, at most a few KiB
  // By lower-case name; of a header that came more than once the first.
  std::map<std::string, std::string, std::less<>> headers = {};
  std::string client = {};  // the address that it comes from; empty: a Unix socket's
  std::string peer = {};    // as of PeerOf (socket_name.h)
  bool is_post = false;     // else GET or HEAD
  std::string body = {};    // of a POST
};

// Empty: it was not sent. `name` in lower case.
inline std::string HeaderOf(const Request& request, std::string_view name) {
  const auto found = request.headers.find(name);
  return found == request.headers.end() ? std::string() : found->second;
}

struct Answer {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body = {};                                          // not sent to HEAD, nor with 304
  std::vector<std::pair<std::string, std::string>> headers = {};  // further ones
  std::string user = {};  // for the listener: the name of the user who asked; empty: not known
};

}  // namespace fedra::httpd
