#include "manager/http/tls.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#include <utility>

#include <fmt/format.h>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/context.hpp>

namespace fedra::httpd {
namespace {

namespace ssl = boost::asio::ssl;

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
using Extension = std::unique_ptr<X509_EXTENSION, Deleter<X509_EXTENSION_free>>;

constexpr std::chrono::hours kValidity{24 * 365};
// Clocks differ.
constexpr std::chrono::hours kBefore{1};

bool SetNames(X509* certificate, const std::vector<std::string>& names) {
  std::string value = "DNS:localhost,IP:127.0.0.1,IP:::1";
  for (const std::string& name : names) value += ",DNS:" + name;
  const Extension extension(
      X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, value.c_str()));
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool SetSerial(X509* certificate) {
  std::array<unsigned char, 8> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) return false;
  bytes[0] = (bytes[0] & 0x3f) | 0x40;  // positive, and never 0
  uint64_t serial = 0;
  for (const unsigned char byte : bytes) serial = serial << 8 | byte;
  return ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial) == 1;
}

bool SetTimes(X509* certificate, WallTime now) {
  const auto seconds = [](WallTime time) {
    return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
  };
  return ASN1_TIME_set(X509_getm_notBefore(certificate), seconds(now - kBefore)) != nullptr &&
         ASN1_TIME_set(X509_getm_notAfter(certificate), seconds(now + kValidity)) != nullptr;
}

bool SetSubject(X509* certificate) {
  X509_NAME* const name = X509_get_subject_name(certificate);
  const auto* const text = reinterpret_cast<const unsigned char*>("fedra");
  return X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, text, -1, -1, 0) == 1 &&
         X509_set_issuer_name(certificate, name) == 1;
}

std::string TextIn(BIO* bio) {
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio, &text);
  return size <= 0 ? std::string() : std::string(text, static_cast<size_t>(size));
}

// The last thing that OpenSSL complained of, in its words: these have nothing of the data.
std::string Complaint() {
  const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return reason == nullptr ? "not usable" : reason;
}

// OpenSSL would otherwise ask for a passphrase on the terminal.
std::string NoPassphrase(size_t /*size*/, ssl::context::password_purpose /*purpose*/) { return {}; }

}  // namespace

Result<KeyPair> MakeSelfSigned(const std::vector<std::string>& names, WallTime now) {
  const PrivateKey key(EVP_EC_gen("P-256"));
  const Certificate certificate(X509_new());
  const Bio key_out(BIO_new(BIO_s_mem()));
  const Bio certificate_out(BIO_new(BIO_s_mem()));
  const bool is_made =
      key && certificate && key_out && certificate_out &&
      X509_set_version(certificate.get(), X509_VERSION_3) == 1 && SetSerial(certificate.get()) &&
      SetTimes(certificate.get(), now) && SetSubject(certificate.get()) &&
      X509_set_pubkey(certificate.get(), key.get()) == 1 && SetNames(certificate.get(), names) &&
      X509_sign(certificate.get(), key.get(), EVP_sha256()) != 0 &&
      PEM_write_bio_X509(certificate_out.get(), certificate.get()) == 1 &&
      PEM_write_bio_PrivateKey(key_out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) ==
          1;
  if (!is_made)
    return Fail(ErrorCode::kUnavailable, "no certificate could be made: " + Complaint());
  return KeyPair{TextIn(certificate_out.get()), TextIn(key_out.get())};
}

Result<std::shared_ptr<TlsIdentity>> TlsIdentity::Make(const KeyPair& pair) {
  auto context = std::make_unique<ssl::context>(ssl::context::tls_server);
  SSL_CTX* const native = context->native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_options(
      native, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
  ERR_clear_error();
  boost::system::error_code error;
  context->set_password_callback(NoPassphrase, error);
  if (!error) context->use_certificate_chain(boost::asio::buffer(pair.certificates), error);
  if (error)
    return Fail(ErrorCode::kInvalidArgument, "the certificate cannot be used: " + error.message());
  context->use_private_key(boost::asio::buffer(pair.key), ssl::context::pem, error);
  if (error) return Fail(ErrorCode::kInvalidArgument, "the key cannot be used: " + error.message());
  return std::shared_ptr<TlsIdentity>(new TlsIdentity(std::move(context)));
}

TlsIdentity::TlsIdentity(std::unique_ptr<ssl::context> context) : context_(std::move(context)) {}
TlsIdentity::~TlsIdentity() = default;

bool TlsIdentity::IsFor(const std::string& name) const {
  X509* const certificate = SSL_CTX_get0_certificate(context_->native_handle());
  return !name.empty() && certificate != nullptr &&
         X509_check_host(certificate, name.data(), name.size(), 0, nullptr) == 1;
}

}  // namespace fedra::httpd
