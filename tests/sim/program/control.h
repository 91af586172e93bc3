#pragma once
//
// A small HTTP server on loopback through which test programs steer fedra-sim. Plain HTTP, one
// thread per request; every user of the machine may use it.
//
// Thread rules: `handler` is called from several threads at a time.
// Lifetime: the destructor closes the port and waits for requests in progress.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "tests/sim/api/json.h"

namespace fedra::sim {

struct ControlReply {
  int code = 200;
  Json body = Json::object();
};

class ControlServer final {
 public:
  using Handler = std::function<ControlReply(const std::string& method, const std::string& path,
                                             const Json& body)>;

  explicit ControlServer(Handler handler);
  ~ControlServer();

  uint16_t port() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fedra::sim
