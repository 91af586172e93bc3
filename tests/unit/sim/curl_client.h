#pragma once
//
// A client of one simulated server by libcurl: many requests at a time, over as few connections as
// the server allows.
//
// Thread rules: one thread; nothing moves but within Run and Ask.
// Lifetime: ends its connections with itself.

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "tests/sim/server.h"

namespace fedra::sim {

class CurlClient final {
 public:
  struct Transfer {
    int status = 0;        // 0: no answer has begun
    std::string protocol;  // "2" or "1.1"
    std::string body;
    bool ended = false;
    std::string failure;  // empty: none, so far
  };

  enum class Offer { kHttp2, kHttp1 };

  explicit CurlClient(const Server& server, Offer offer = Offer::kHttp2,
                      const ClientCertificate& certificate = {});
  ~CurlClient();
  CurlClient(const CurlClient&) = delete;
  CurlClient& operator=(const CurlClient&) = delete;

  // Begins a request with the admin's token, unless there is a certificate; the number that it has.
  size_t Start(const std::string& method, const std::string& target, const std::string& body = "",
               const std::string& content_type = "application/json");
  const Transfer& At(size_t number) const;
  // Ends it: over HTTP/2 with a reset of its stream.
  void Reset(size_t number);
  // Until `holds`, within a limit that Slowness() stretches. False: it does not hold.
  bool Run(const std::function<bool()>& holds,
           std::chrono::milliseconds limit = std::chrono::seconds(20));
  // The same for what must not happen: nothing is stretched.
  bool RunFor(const std::function<bool()>& holds, std::chrono::milliseconds time);
  // A request to its end.
  const Transfer& Ask(const std::string& method, const std::string& target,
                      const std::string& body = "",
                      const std::string& content_type = "application/json");

  // What libcurl has said about GOAWAY frames that came.
  const std::string& farewells() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fedra::sim
