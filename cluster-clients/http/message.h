#pragma once
//
// An HTTP request and its answer as plain values, and the settings of a connection.
// They hold secrets (authorization, keys): never log them.

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"

namespace fedra::http {

class WriteGate;

struct Request {
  std::string method = "GET";
  std::string path;          // path and query, percent-encoded, below the server's URL
  std::string body;          // sent when not empty
  std::string content_type;  // of the body
  std::string accept = "application/json";
  std::string authorization;                  // the whole header value; empty: none is sent
  std::chrono::milliseconds timeout{10'000};  // from being asked to the last byte
  // The answer must begin within this time; 0: `timeout` is the only limit. For watches.
  std::chrono::milliseconds open_timeout{0};
  // The answer must not pause for longer than this; 0: no limit. For long lists.
  std::chrono::seconds stall_timeout{0};
  size_t max_bytes = 256u << 20;   // of the answer's body
  bool stores_nothing = false;     // a POST that only asks: no WriteGate is asked for it
  std::string wanted_header = {};  // of the answer, goes into Reply::header; empty: none
  // Further ones, without line ends; those that are empty are not sent.
  std::vector<std::pair<std::string, std::string>> headers = {};
};

// What came of a request. Either `failure` is set or `status` is what a server answered.
struct Reply {
  std::optional<Error> failure;
  // Nothing of the request has left this machine, so it may be repeated whatever it was.
  bool unsent = false;
  int status = 0;
  std::string body;  // of a streamed answer: only when the status is not 2xx, and at most 64 KiB
  std::string content_type;  // without parameters
  std::optional<std::chrono::milliseconds> retry_after;
  // The server's clock when it answered (Date), in whole seconds; nothing: it does not say.
  std::optional<WallTime> date = std::nullopt;
  std::vector<std::string> warnings;  // values of Warning headers, at most 16
  std::string header;                 // the value of Request::wanted_header; empty: not sent

  bool ok() const { return !failure && status >= 200 && status < 300; }
};

// How a streamed answer is delivered. All on the io loop thread, so each may be a few lines only.
struct StreamHandler {
  std::function<void(int status)> on_open;              // the headers have arrived
  std::function<void(std::string_view bytes)> on_data;  // of a 2xx answer
  std::function<void(Reply reply)> on_end;              // exactly once, nothing follows
};

// One server, and who we are there as far as TLS is concerned.
struct Endpoint {
  std::string url;  // "https://host:port[/prefix]"
  // The Unix socket that the server listens on; empty: it is found by `url`.
  std::string unix_socket = {};
  std::string proxy_url = {};
  std::string ca_pem;           // the only CA that is trusted; empty: the system's
  std::string tls_server_name;  // empty: the host of `url`
  bool insecure_skip_tls_verify = false;
  std::string client_certificate_pem;
  std::string client_key_pem;
  std::chrono::milliseconds connect_timeout{5'000};
  bool http2 = true;                           // false: HTTP/1.1 only
  std::shared_ptr<const WriteGate> gate = {};  // of all writes; null: all may be sent
};

}  // namespace fedra::http
