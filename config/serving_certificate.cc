#include "config/serving_certificate.h"

#include <fmt/format.h>

#include "config/files.h"
#include "config/pem.h"

namespace fedra::config {
namespace {

// A chain of a dozen certificates is a tenth of it.
constexpr size_t kMostBytes = size_t{1} << 20;

tl::unexpected<Error> Wrong(const std::string& file, const std::string& what) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("{}: {}", file, what));
}

}  // namespace

Result<ServingCertificate> ReadServingCertificate(const std::string& certificate_file,
                                                  const std::string& key_file) {
  auto certificates = ReadSmallFile(certificate_file, kMostBytes);
  if (!certificates) return Wrong(certificate_file, certificates.error());
  auto key = ReadSmallFile(key_file, kMostBytes);
  if (!key) return Wrong(key_file, key.error());
  if (ReadCertificates(*certificates).empty())
    return Wrong(certificate_file, "has no certificate in PEM form, or a broken one");
  switch (CheckPrivateKey(*certificates, *key)) {
    case KeyCheck::kMatches:
      break;
    case KeyCheck::kOtherCertificate:
      return Wrong(key_file,
                   fmt::format("is not the key of the first certificate in {}", certificate_file));
    case KeyCheck::kEncrypted:
      return Wrong(key_file,
                   "needs a passphrase, which cannot be typed in here; remove it with "
                   "openssl pkey");
    case KeyCheck::kUnreadable:
      return Wrong(key_file, "has no private key in PEM form");
  }
  return ServingCertificate{*std::move(certificates), *std::move(key)};
}

}  // namespace fedra::config
