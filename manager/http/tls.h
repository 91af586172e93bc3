#pragma once
//
// What a TLS listener shows its clients: a certificate with its key, from files or made here.
//
// TLS 1.2 and later; no client certificates. The only place of the program's own OpenSSL, besides
// what reads certificates in config/.
//
// Thread rules: Make and MakeSelfSigned from any thread; an identity is used by one listener.

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace boost::asio::ssl {
class context;  // NOLINT(readability-identifier-naming): Boost's name
}

namespace fedra::httpd {

// PEM.
struct KeyPair {
  std::string certificates;  // the server's own first, then those that signed it
  std::string key;
};

// For those who have no certificate yet: clients can encrypt, and must be told not to verify
// (`curl -k`). For these names, localhost, 127.0.0.1 and ::1; ends after a year.
Result<KeyPair> MakeSelfSigned(const std::vector<std::string>& names, WallTime now);

class TlsIdentity final {
 public:
  // kInvalidArgument, without any part of the data: not PEM, a key of another certificate, or one
  // that OpenSSL takes for too weak.
  static Result<std::shared_ptr<TlsIdentity>> Make(const KeyPair& pair);
  ~TlsIdentity();

  // Whether the certificate is for this DNS name, wildcards included.
  bool IsFor(const std::string& name) const;
  boost::asio::ssl::context& context() { return *context_; }  // for listener.cc

 private:
  explicit TlsIdentity(std::unique_ptr<boost::asio::ssl::context> context);

  std::unique_ptr<boost::asio::ssl::context> context_;
};

}  // namespace fedra::httpd
