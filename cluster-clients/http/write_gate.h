#pragma once
//
// One gate under every write: requests that change something pass it, or are not sent.
//
// The client asks it on the io loop, at the last moment before a request is handed to libcurl, and
// for every method but GET. A client without a gate sends everything.
//
// Thread rules: Ask() is called from io loops, and must not wait.

#include <chrono>
#include <optional>

namespace fedra::http {

class WriteGate {
 public:
  // How long a write that is sent now may take.
  struct Permit {
    std::chrono::milliseconds left;  // our wait for the answer is over then; more than none
    // From its arrival the server gives up after so long (`?timeout=` of the Kubernetes API); 0: by
    // its own limit.
    std::chrono::milliseconds server;
  };

  virtual ~WriteGate() = default;
  // Nothing: it must not be sent.
  virtual std::optional<Permit> Ask() const = 0;
};

}  // namespace fedra::http
