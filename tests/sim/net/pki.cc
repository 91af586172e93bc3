#include "tests/sim/net/pki.h"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <utility>

#include "base/assert.h"

namespace fedra::sim {
namespace {

template <auto Free>
struct Deleter {
  template <class T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Deleter<X509_free>>;
using Bio = std::unique_ptr<BIO, Deleter<BIO_free_all>>;
using Extension = std::unique_ptr<X509_EXTENSION, Deleter<X509_EXTENSION_free>>;

constexpr long kDay = 24 * 60 * 60;

Key NewKey() {
  Key key(EVP_EC_gen("P-256"));
  FEDRA_ASSERT(key != nullptr, "libcrypto makes P-256 keys");
  return key;
}

std::string Read(const Bio& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<size_t>(size)};
}

std::string ToPem(X509* certificate) {
  const Bio bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), certificate);
  return Read(bio);
}

std::string ToPem(EVP_PKEY* key) {
  const Bio bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return Read(bio);
}

void AddName(X509* certificate, const char* field, const std::string& value) {
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), field, MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(value.data()),
                             static_cast<int>(value.size()), -1, 0);
}

void AddExtension(X509* certificate, X509* issuer, int nid, const char* value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value));
  FEDRA_ASSERT(extension != nullptr, "certificate extensions are well-formed");
  X509_add_ext(certificate, extension.get(), -1);
}

Certificate NewCertificate(const std::string& common_name, EVP_PKEY* key, Validity validity) {
  Certificate certificate(X509_new());
  X509_set_version(certificate.get(), X509_VERSION_3);
  int64_t serial = 0;
  RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial);
  ASN1_INTEGER_set_int64(X509_get_serialNumber(certificate.get()), serial & INT64_MAX);
  const bool expired = validity == Validity::kExpired;
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), expired ? -30 * kDay : -kDay);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), expired ? -kDay : 365 * kDay);
  X509_set_pubkey(certificate.get(), key);
  AddName(certificate.get(), "CN", common_name);
  return certificate;
}

}  // namespace

struct Authority::Keys {
  Key key;
  Certificate certificate;
};

Authority::Authority(const std::string& name) : keys_(std::make_unique<Keys>()) {
  keys_->key = NewKey();
  keys_->certificate = NewCertificate(name, keys_->key.get(), Validity::kNow);
  X509* const ca = keys_->certificate.get();
  X509_set_issuer_name(ca, X509_get_subject_name(ca));
  AddExtension(ca, ca, NID_basic_constraints, "critical,CA:TRUE");
  AddExtension(ca, ca, NID_key_usage, "critical,keyCertSign,cRLSign");
  AddExtension(ca, ca, NID_subject_key_identifier, "hash");
  X509_sign(ca, keys_->key.get(), EVP_sha256());
}

Authority::~Authority() = default;
Authority::Authority(Authority&&) noexcept = default;
Authority& Authority::operator=(Authority&&) noexcept = default;

std::string Authority::CertificatePem() const { return ToPem(keys_->certificate.get()); }

ClientCertificate Authority::IssueServer(Validity validity) const {
  const Key key = NewKey();
  const Certificate certificate = NewCertificate("kube-apiserver", key.get(), validity);
  X509* const ca = keys_->certificate.get();
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(ca));
  AddExtension(certificate.get(), ca, NID_subject_alt_name,
               "IP:127.0.0.1,DNS:localhost,DNS:kubernetes");
  AddExtension(certificate.get(), ca, NID_ext_key_usage, "serverAuth");
  AddExtension(certificate.get(), ca, NID_authority_key_identifier, "keyid");
  X509_sign(certificate.get(), keys_->key.get(), EVP_sha256());
  return {ToPem(certificate.get()), ToPem(key.get())};
}

ClientCertificate Authority::IssueClient(const std::string& user,
                                         const std::vector<std::string>& groups) const {
  const Key key = NewKey();
  const Certificate certificate = NewCertificate(user, key.get(), Validity::kNow);
  for (const std::string& group : groups) AddName(certificate.get(), "O", group);
  X509* const ca = keys_->certificate.get();
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(ca));
  AddExtension(certificate.get(), ca, NID_ext_key_usage, "clientAuth");
  X509_sign(certificate.get(), keys_->key.get(), EVP_sha256());
  return {ToPem(certificate.get()), ToPem(key.get())};
}

std::string WithPassword(const std::string& key_pem) {
  const Bio in(BIO_new_mem_buf(key_pem.data(), static_cast<int>(key_pem.size())));
  const Key key(PEM_read_bio_PrivateKey(in.get(), nullptr, nullptr, nullptr));
  FEDRA_ASSERT(key != nullptr, "the key is a PEM of ours");
  unsigned char password[16];
  RAND_bytes(password, sizeof password);
  const Bio out(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(out.get(), key.get(), EVP_aes_128_cbc(), password, sizeof password,
                           nullptr, nullptr);
  return Read(out);
}

}  // namespace fedra::sim
