#pragma once
//
// A request to the daemon and its answer as plain values, apart from sockets.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fedra::httpd {

struct Request {
  std::string target;  // path and query, as they came: percent-encoded, at most kMaxRequest
  // By lower-case name; of a header that came more than once the first.
  std::map<std::string, std::string, std::less<>> headers = {};
  std::string peer = {};  // who connects, as shares are counted (Stake::peer)
  bool is_post = false;   // else GET or HEAD
  std::string body = {};  // of a POST
};

// Empty: it was not sent. `name` in lower case.
inline std::string HeaderOf(const Request& request, std::string_view name) {
  const auto found = request.headers.find(name);
  return found == request.headers.end() ? std::string() : found->second;
}

// Where an answer goes on that does not end by itself. The client takes one text at a time: what it
// is to be told meanwhile is kept, or put together, by who tells it. Any thread.
class Sink {
 public:
  virtual ~Sink() = default;
  // Whether it may be written to: what was written before has been taken.
  virtual bool IsReady() const = 0;
  // The client has gone, was cut, or the listener has ended: what is written now is dropped.
  virtual bool IsOver() const = 0;
  // Only when it is ready.
  virtual void Write(std::string text) = 0;
  // What is being written may be lost.
  virtual void End() = 0;
};

struct Answer {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body = {};                                          // not sent to HEAD, nor with 304
  std::vector<std::pair<std::string, std::string>> headers = {};  // further ones
  std::string user = {};  // for the listener: the name of the user who asked; empty: not known
  // The body goes on behind `body`: called once the client has that, on the loop's thread, so it
  // may only pass on. Null: that is all.
  std::function<void(std::shared_ptr<Sink>)> goes_on = {};
};

}  // namespace fedra::httpd
