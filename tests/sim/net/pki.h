#pragma once
//
// Certificates made at start: an own CA per cluster, ECDSA P-256 throughout, because the handshake
// is what a simulated fleet spends most of its start on.
//
// Thread rules: an Authority is constant after construction.

#include <memory>
#include <string>
#include <vector>

#include "tests/sim/server.h"

namespace fedra::sim {

enum class Validity { kNow, kExpired };

class Authority final {
 public:
  explicit Authority(const std::string& name);
  ~Authority();
  Authority(Authority&&) noexcept;
  Authority& operator=(Authority&&) noexcept;

  std::string CertificatePem() const;
  // For 127.0.0.1, localhost and kubernetes.
  ClientCertificate IssueServer(Validity validity) const;
  // Common name and organisations are the user and the groups, as Kubernetes reads them.
  ClientCertificate IssueClient(const std::string& user,
                                const std::vector<std::string>& groups) const;

 private:
  struct Keys;
  std::unique_ptr<Keys> keys_;
};

// The same key, encrypted with a password that is not kept: no client can use it.
std::string WithPassword(const std::string& key_pem);

}  // namespace fedra::sim
