#pragma once
//
// Certificates and keys of a kubeconfig or a server, checked before they are used. Private to this
// folder. Errors: short reasons without any part of the data. Thread rules: pure functions.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace fedra::config {

struct CertificateInfo {
  std::string subject;  // "CN=gpu-east-ca", at most 128 characters
  WallTime not_before;
  WallTime not_after;
};

// The certificates of a PEM text in their order; other blocks are skipped. Empty when there is none
// or one of them is broken.
std::vector<CertificateInfo> ReadCertificates(std::string_view pem);

enum class KeyCheck {
  kMatches,
  kOtherCertificate,  // a key, but not that of the first certificate
  kEncrypted,         // needs a passphrase, which a daemon cannot ask for
  kUnreadable,        // no private key
};
KeyCheck CheckPrivateKey(std::string_view certificate_pem, std::string_view key_pem);

}  // namespace fedra::config
