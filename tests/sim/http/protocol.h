#pragma once
//
// What is spoken on a connection: HTTP/1.1 (http1.h) or HTTP/2 (http2.h). Bytes in, bytes out; the
// socket is the connection's.
//
// Thread rules: the cluster's loop.
// Lifetime: the connection owns it, and outlives what it calls. `wake`, which both are made with,
// tells the connection that Take() has something again; it is called from the loop, never from
// within a function of this interface, and not after Close().

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace fedra::sim {

// So much is taken at a time, about, if there is as much.
constexpr size_t kTakeSize = 32u << 10;

class Protocol {
 public:
  using Wake = std::function<void()>;

  virtual ~Protocol() = default;

  // What the client has sent. False: the connection is to be reset.
  virtual bool Receive(std::string_view bytes) = 0;
  // What is to be sent now; empty: nothing. Is asked again when that has been written, so that a
  // client that does not read gets no more made for it.
  virtual std::string Take() = 0;
  // Nothing more is read or sent: the connection is to end.
  virtual bool Over() const = 0;
  // The server ends: no request is begun any more, and Over() will be true.
  virtual void Leave() = 0;
  // The connection has ended, and every request with it.
  virtual void Close() = 0;
};

}  // namespace fedra::sim
