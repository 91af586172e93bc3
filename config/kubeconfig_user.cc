#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/time.h"
#include "config/kubeconfig_section.h"
#include "config/pem.h"
#include "config/token_expiry.h"

namespace fedra::config {
namespace {

// Before its end a credential is worth a warning for this long.
constexpr std::chrono::days kSoon{7};

// What may stand in an HTTP header: a line break in a token would let its owner add headers.
bool IsHeaderText(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

std::string_view TrimEnd(std::string_view text) {
  const size_t last = text.find_last_not_of(" \t\r\n");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

void NoteTimes(KubeAccess& access, const CredentialTimes& times) {
  if (!access.credential_times || times.expires < access.credential_times->expires)
    access.credential_times = times;
}

void CheckCertificateDates(KubeconfigReading& reading, KubeconfigSection& section,
                           const Credential& certificate) {
  const auto infos = ReadCertificates(certificate.text);
  if (infos.empty()) return section.Problem(certificate.key, "holds no PEM certificate");
  const CertificateInfo& own = infos.front();
  NoteTimes(reading.access, {own.not_after, own.not_before});
  const WallTime now = reading.options.now;
  if (own.not_after < now) {
    section.Problem(certificate.key,
                    fmt::format("client certificate {} expired on {}", own.subject,
                                FormatRfc3339(own.not_after)),
                    "get a new kubeconfig from the cluster's administrator");
  } else if (own.not_before > now) {
    section.Warning(certificate.key, fmt::format("client certificate {} is not valid before {}",
                                                 own.subject, FormatRfc3339(own.not_before)));
  } else if (own.not_after - now < kSoon) {
    section.Warning(certificate.key, fmt::format("client certificate {} expires on {}", own.subject,
                                                 FormatRfc3339(own.not_after)));
  }
}

void CheckKey(KubeconfigSection& section, const std::string& certificate, const Credential& key) {
  switch (CheckPrivateKey(certificate, key.text)) {
    case KeyCheck::kMatches:
      return;
    case KeyCheck::kOtherCertificate:
      return section.Problem(key.key, "is not the key of the client certificate");
    case KeyCheck::kEncrypted:
      return section.Problem(key.key,
                             "is encrypted, and fedra has no way to ask for its passphrase",
                             "store it decrypted, readable by fedra only");
    case KeyCheck::kUnreadable:
      return section.Problem(key.key, "holds no PEM private key");
  }
}

void ReadClientCertificate(KubeconfigReading& reading, KubeconfigSection& section) {
  const Credential certificate =
      section.DataOrFile("client-certificate-data", "client-certificate");
  const Credential key = section.DataOrFile("client-key-data", "client-key");
  if (certificate.key.empty() && key.key.empty()) return;
  if (key.key.empty())
    return section.Problem(certificate.key, "has no key", "add client-key-data or client-key");
  if (certificate.key.empty()) {
    return section.Problem(key.key, "has no certificate",
                           "add client-certificate-data or client-certificate");
  }
  if (certificate.text.empty() || key.text.empty()) return;  // reported when it was read
  CheckCertificateDates(reading, section, certificate);
  if (!ReadCertificates(certificate.text).empty()) CheckKey(section, certificate.text, key);
  reading.access.client_certificate_pem = certificate.text;
  reading.access.client_key_pem = key.text;
}

// `key` is token or tokenFile.
void CheckTokenDates(KubeconfigReading& reading, KubeconfigSection& section, std::string_view key,
                     std::string_view token) {
  const std::optional<CredentialTimes> times = ReadTokenTimes(token);
  if (!times) return;
  NoteTimes(reading.access, *times);
  const WallTime now = reading.options.now;
  if (times->expires <= now) {
    return section.Problem(key,
                           fmt::format("the token expired on {}", FormatRfc3339(times->expires)),
                           "put a new one in: kubectl create token --duration, for the same "
                           "service account");
  }
  // An issuer of tokens that last for hours renews them.
  const bool is_renewed =
      key == "tokenFile" && times->issued && times->expires - *times->issued <= kSoon;
  if (times->expires - now < kSoon && !is_renewed)
    section.Warning(key, fmt::format("the token expires on {}", FormatRfc3339(times->expires)));
}

// With both a token and a tokenFile the file wins, as in client-go since 1.31.
void ReadToken(KubeconfigReading& reading, KubeconfigSection& section) {
  const std::string token = section.Text("token");
  if (!IsHeaderText(token))
    section.Problem("token", "has characters that a token cannot have", "no spaces or line breaks");
  reading.access.token_file = section.FilePath("tokenFile");
  if (reading.access.token_file.empty()) {
    reading.access.token = token;
    // What a `kubectl create token` that failed leaves: we would be anonymous without knowing.
    const YamlNode* written = section.Child("token");
    if (written != nullptr && written->kind == YamlNode::Kind::kScalar && written->scalar.empty())
      section.Problem("token", "is empty", "remove it, or put a token in");
    return CheckTokenDates(reading, section, "token", token);
  }
  const std::string content = section.File("tokenFile");
  if (!IsHeaderText(TrimEnd(content))) {
    section.Problem("tokenFile", "the file has characters that a token cannot have");
  }
  CheckTokenDates(reading, section, "tokenFile", TrimEnd(content));
}

void ReadPassword(KubeconfigReading& reading, KubeconfigSection& section) {
  reading.access.username = section.Text("username");
  reading.access.password = section.Text("password");
  if (reading.access.username.empty() && !reading.access.password.empty()) {
    section.Problem("password", "has no username");
  }
  if (reading.access.username.find(':') != std::string::npos) {
    section.Problem("username", "must not contain a colon",
                    "HTTP basic authentication cannot carry it");
  }
}

// Without these we would act as a user that the file does not mean.
void RefuseUnsupported(KubeconfigSection& section) {
  if (section.Has("auth-provider")) {
    section.Problem("auth-provider", "is not supported: Kubernetes removed it",
                    "use an exec credential plugin");
  }
  for (const std::string_view key : {"as", "as-uid", "as-groups", "as-user-extra"}) {
    if (section.Has(key))
      section.Problem(key, "impersonation is not supported", "use credentials of that user");
  }
}

// As Kueue refuses it, too; a plugin would run as fedra.
void RefuseForeign(KubeconfigSection& section) {
  if (section.Has("exec")) {
    section.Problem("exec", "a credential plugin is refused: it would run as fedra",
                    "use a token or a client certificate, or put the worker into fedra's own "
                    "configuration");
  }
  for (const std::string_view key : {"username", "password"}) {
    if (section.Has(key))
      section.Problem(key, "basic authentication is refused",
                      "use a token or a client certificate");
  }
}

void RefuseTwoWays(const KubeAccess& access, KubeconfigSection& section) {
  std::vector<std::string_view> ways;
  if (!access.token_file.empty()) {
    ways.push_back("tokenFile");
  } else if (!access.token.empty()) {
    ways.push_back("token");
  }
  if (!access.username.empty()) ways.push_back("username");
  if (section.Has("exec")) ways.push_back("exec");
  if (ways.size() > 1) {
    section.Problem("", fmt::format("more than one way to authenticate: {}", fmt::join(ways, ", ")),
                    "keep one");
  }
}

}  // namespace

void ReadUserEntry(KubeconfigReading& reading, const YamlNode& user, const std::string& path) {
  KubeconfigSection section(reading, user, path);
  ReadClientCertificate(reading, section);
  ReadToken(reading, section);
  RefuseUnsupported(section);
  if (reading.options.foreign) return RefuseForeign(section);
  ReadPassword(reading, section);
  if (const YamlNode* exec = section.Child("exec")) ReadExecEntry(reading, *exec, path + ".exec");
  RefuseTwoWays(reading.access, section);
}

}  // namespace fedra::config
