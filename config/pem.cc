#include "config/pem.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <climits>
#include <ctime>
#include <memory>

namespace fedra::config {
namespace {

template <auto Function>
struct Deleter {
  template <class T>
  void operator()(T* object) const {
    Function(object);
  }
};
using Bio = std::unique_ptr<BIO, Deleter<BIO_free_all>>;
using Certificate = std::unique_ptr<X509, Deleter<X509_free>>;
using PrivateKey = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;

Bio Open(std::string_view text) {
  if (text.size() > INT_MAX) return nullptr;
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// OpenSSL would otherwise ask for a passphrase on the terminal.
int NoPassphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

Certificate NextCertificate(BIO* bio) {
  bool asked = false;
  return Certificate(PEM_read_bio_X509(bio, nullptr, NoPassphrase, &asked));
}

WallTime ToWallTime(const ASN1_TIME* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return WallTime();
  return WallTime(std::chrono::seconds(::timegm(&parts)));
}

std::string SubjectOf(const X509* certificate) {
  const Bio out(BIO_new(BIO_s_mem()));
  if (!out ||
      X509_NAME_print_ex(out.get(), X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253) < 0)
    return "";
  char* text = nullptr;
  const long size = BIO_get_mem_data(out.get(), &text);
  return std::string(text, static_cast<size_t>(size)).substr(0, 128);
}

}  // namespace

std::vector<CertificateInfo> ReadCertificates(std::string_view pem) {
  std::vector<CertificateInfo> infos;
  const Bio bio = Open(pem);
  if (!bio) return infos;
  ERR_clear_error();
  while (const Certificate certificate = NextCertificate(bio.get())) {
    infos.push_back({SubjectOf(certificate.get()),
                     ToWallTime(X509_get0_notBefore(certificate.get())),
                     ToWallTime(X509_get0_notAfter(certificate.get()))});
  }
  // The end of the text reads as "no start line"; everything else is a broken certificate.
  const unsigned long error = ERR_peek_last_error();
  const bool at_end =
      ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (!at_end) infos.clear();
  return infos;
}

KeyCheck CheckPrivateKey(std::string_view certificate_pem, std::string_view key_pem) {
  const Bio key_bio = Open(key_pem);
  const Bio certificate_bio = Open(certificate_pem);
  if (!key_bio || !certificate_bio) return KeyCheck::kUnreadable;
  bool asked = false;
  const PrivateKey key(PEM_read_bio_PrivateKey(key_bio.get(), nullptr, NoPassphrase, &asked));
  const Certificate certificate = NextCertificate(certificate_bio.get());
  const bool matches =
      key && certificate && X509_check_private_key(certificate.get(), key.get()) == 1;
  ERR_clear_error();
  if (!key) return asked ? KeyCheck::kEncrypted : KeyCheck::kUnreadable;
  return matches ? KeyCheck::kMatches : KeyCheck::kOtherCertificate;
}

}  // namespace fedra::config
