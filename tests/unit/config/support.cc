#include "tests/unit/config/support.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdlib.h>

#include <fstream>
#include <memory>
#include <stdexcept>

namespace fedra::config::test {
namespace {

using Bio = std::unique_ptr<BIO, decltype(&BIO_free_all)>;

std::string Content(const Bio& bio) {
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &text);
  return {text, static_cast<size_t>(size)};
}

Bio MemoryBio() { return {BIO_new(BIO_s_mem()), BIO_free_all}; }

std::string KeyPem(EVP_PKEY* key) {
  const Bio bio = MemoryBio();
  PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return Content(bio);
}

long Seconds(WallTime time) {
  return static_cast<long>(
      std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count());
}

}  // namespace

KeyPair MakeCertificate(const std::string& name, WallTime not_before, WallTime not_after) {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(X509_new(), X509_free);
  X509* const x509 = certificate.get();
  ASN1_INTEGER_set(X509_get_serialNumber(x509), 1);
  ASN1_TIME_set(X509_getm_notBefore(x509), Seconds(not_before));
  ASN1_TIME_set(X509_getm_notAfter(x509), Seconds(not_after));
  X509_set_pubkey(x509, key.get());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(x509), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  X509_set_issuer_name(x509, X509_get_subject_name(x509));
  X509_sign(x509, key.get(), EVP_sha256());
  const Bio bio = MemoryBio();
  PEM_write_bio_X509(bio.get(), x509);
  return {Content(bio), KeyPem(key.get())};
}

std::string EncryptKey(const std::string& key_pem) {
  const Bio in(BIO_new_mem_buf(key_pem.data(), static_cast<int>(key_pem.size())), BIO_free_all);
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      PEM_read_bio_PrivateKey(in.get(), nullptr, nullptr, nullptr), EVP_PKEY_free);
  const Bio out = MemoryBio();
  const unsigned char phrase[] = {'x', 'y', 'z', 'w'};
  PEM_write_bio_PrivateKey(out.get(), key.get(), EVP_aes_128_cbc(), phrase, sizeof phrase, nullptr,
                           nullptr);
  return Content(out);
}

std::string Base64(std::string_view bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                   reinterpret_cast<const unsigned char*>(bytes.data()),
                                   static_cast<int>(bytes.size()));
  text.resize(static_cast<size_t>(size));
  return text;
}

WallTime Now() {
  using namespace std::chrono;
  return WallTime(sys_days(2026y / June / 1));
}

std::string Text(const Problems& problems, const TempFolder& folder) {
  std::string text = ToString(problems);
  const std::string name = folder.path().string();
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at))
    text.replace(at, name.size(), "DIR");
  return text;
}

}  // namespace fedra::config::test
