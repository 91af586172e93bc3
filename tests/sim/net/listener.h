#pragma once
//
// The port of one simulated cluster: accepts connections, keeps account of them, and plays the
// faults that are about the port and the certificate.
//
// Thread rules: any thread but the loop's, except where said.
// Lifetime: Stop() (also run by the destructor) ends all connections, those of HTTP/2 with a
// GOAWAY, and returns when the loop has let go.

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/sim/core.h"
#include "tests/sim/net/pki.h"
#include "tests/sim/net/session.h"

namespace fedra::sim {

class Listener final {
 public:
  Listener(std::shared_ptr<Core> core, const Authority& authority);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  uint16_t port() const { return port_; }
  // Connections accepted so far.
  size_t accepted() const { return accepted_; }
  // After a change of Core::faults.
  void ApplyFaults();
  void DropConnections();
  void Stop();

 private:
  using TlsContext = std::shared_ptr<boost::asio::ssl::context>;

  TlsContext MakeContext(const ClientCertificate& certificate) const;
  TlsContext CurrentContext() const;
  void RunOnLoop(std::function<void()> task);

  // Loop thread only.
  void Open();
  void Refuse();
  void Accept();
  void CloseSessions();

  const std::shared_ptr<Core> core_;
  const std::string trusted_;  // the CA of client certificates
  const TlsContext normal_;
  const TlsContext expired_;
  const TlsContext foreign_;
  uint16_t port_ = 0;
  std::atomic<size_t> accepted_ = 0;

  // Loop thread only.
  boost::asio::ip::tcp::acceptor acceptor_;
  bool accepting_ = false;
  std::vector<std::weak_ptr<Session>> sessions_;
};

}  // namespace fedra::sim
