#pragma once
//
// A SOCKS5 proxy that leads every name to 127.0.0.1 and remembers for what it was asked.
//
// Thread rules: Asked() and LeadTo() from any thread. Lifetime: the destructor ends every
// connection.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fedra {

class SocksProxy final {
 public:
  SocksProxy();
  ~SocksProxy();
  SocksProxy(const SocksProxy&) = delete;
  SocksProxy& operator=(const SocksProxy&) = delete;

  // "socks5://127.0.0.1:PORT".
  std::string Url() const;
  // "name:port" of every connection; "(address)" in place of what the client has resolved itself.
  std::vector<std::string> Asked() const;
  // From now on every new connection goes to this port, whichever was asked for.
  void LeadTo(uint16_t port);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fedra
