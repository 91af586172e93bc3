#include <algorithm>

#include <fmt/format.h>

#include "base/ascii.h"
#include "base/object_names.h"
#include "base/time.h"
#include "config/kubeconfig_section.h"
#include "config/pem.h"
#include "config/url.h"
#include "config/yaml_json.h"

namespace fedra::config {
namespace {

// As clientcmd and the Cluster Inventory API name it (client-go 1.36, ExecConfig.Config).
constexpr std::string_view kExecExtension = "client.authentication.k8s.io/exec";
// It is handed over in an environment variable, which may have 128 KiB.
constexpr size_t kMaxExecExtension = size_t{32} << 10;

// isValidHostname of Kueue 0.19.2: what others write may name an IP address or a DNS-1123 name.
bool IsTrustedHost(const std::string& host) {
  return host.starts_with('[') || IsDnsSubdomain(ToLower(host));
}

void ReadServer(KubeconfigReading& reading, KubeconfigSection& section) {
  std::string server = section.Text("server");
  if (server.empty()) return section.Problem("server", "is required", "https://host:port");
  const auto url = ParseUrl(server);
  if (!url || url->has_user || (url->scheme != "https" && url->scheme != "http")) {
    return section.Problem("server", "is not an address",
                           "https://host:port, without user or query");
  }
  if (reading.options.foreign && !IsTrustedHost(url->host)) {
    return section.Problem("server", "its host is no IP address and no DNS-1123 name",
                           "https://host:port");
  }
  if (url->scheme == "http" && !reading.options.allow_insecure) {
    return section.Problem("server", "plain http sends credentials in the clear",
                           reading.options.foreign
                               ? "use https"
                               : "use https, or set allowInsecure: true for this worker");
  }
  if (url->scheme == "http")
    section.Warning("server", "plain http: credentials are sent in the clear");
  while (server.ends_with('/')) server.pop_back();
  reading.access.server = std::move(server);
}

void ReadProxy(KubeconfigReading& reading, KubeconfigSection& section) {
  std::string proxy = section.Text("proxy-url");
  if (proxy.empty()) return;
  if (!IsProxyUrl(proxy)) {
    return section.Problem("proxy-url", "is not the address of a proxy",
                           "http, https or socks5://host:port");
  }
  reading.access.proxy_url = std::move(proxy);
}

void ReadTrust(KubeconfigReading& reading, KubeconfigSection& section) {
  KubeAccess& access = reading.access;
  const Credential ca = section.DataOrFile("certificate-authority-data", "certificate-authority");
  if (!ca.text.empty()) {
    if (const auto finding = CheckCaBundle(ca.text, reading.options.now)) {
      (section.*(finding->fatal ? &KubeconfigSection::Problem : &KubeconfigSection::Warning))(
          ca.key, finding->problem, finding->hint);
    }
    access.ca_pem = ca.text;
  }
  access.insecure_skip_tls_verify = section.Flag("insecure-skip-tls-verify");
  if (!access.insecure_skip_tls_verify) return;
  if (!ca.key.empty()) {
    section.Problem("insecure-skip-tls-verify", "excludes a certificate authority",
                    "remove one of them");
  } else if (!reading.options.allow_insecure) {
    section.Problem("insecure-skip-tls-verify",
                    "is refused, because others on the network could read the credentials",
                    reading.options.foreign
                        ? "give certificate-authority-data"
                        : "give certificate-authority-data, or set allowInsecure: true for this "
                          "worker");
  } else {
    section.Warning("insecure-skip-tls-verify", "the server's certificate is not verified");
  }
}

// What is meant for the cluster's credential plugin; extensions of other programs are ignored.
void ReadExecExtension(KubeconfigReading& reading, KubeconfigSection& section) {
  const YamlNode* extensions = section.Child("extensions");
  if (extensions == nullptr) return;
  for (const YamlNode& each : extensions->items) {
    const YamlNode* name = each.Find("name");
    const YamlNode* extension = each.Find("extension");
    if (name == nullptr || name->scalar != kExecExtension || extension == nullptr) continue;
    auto text = TreeToJson(*extension);
    if (!text) return section.Problem("extensions", text.error().message);
    if (text->size() > kMaxExecExtension) {
      return section.Problem("extensions", fmt::format("{} is larger than {} KiB", kExecExtension,
                                                       kMaxExecExtension >> 10));
    }
    reading.access.exec_cluster_config = *std::move(text);
  }
}

}  // namespace

std::optional<PemFinding> CheckCaBundle(const std::string& pem, WallTime now) {
  const auto certificates = ReadCertificates(pem);
  if (certificates.empty()) return PemFinding{true, "holds no PEM certificate", ""};
  const auto expired = [&](const CertificateInfo& info) { return info.not_after < now; };
  const auto first = std::find_if(certificates.begin(), certificates.end(), expired);
  if (first == certificates.end()) return std::nullopt;
  const bool all = std::all_of(certificates.begin(), certificates.end(), expired);
  return PemFinding{all,
                    fmt::format("CA certificate {} expired on {}", first->subject,
                                FormatRfc3339(first->not_after)),
                    "get the cluster's present CA"};
}

bool IsProxyUrl(std::string_view text) {
  const auto url = ParseUrl(text);
  return url && (url->scheme == "http" || url->scheme == "https" || url->scheme == "socks5");
}

void ReadClusterEntry(KubeconfigReading& reading, const YamlNode& cluster,
                      const std::string& path) {
  KubeconfigSection section(reading, cluster, path);
  ReadServer(reading, section);
  ReadProxy(reading, section);
  ReadTrust(reading, section);
  ReadExecExtension(reading, section);
  reading.access.tls_server_name = section.Text("tls-server-name");
  const std::string& name = reading.access.tls_server_name;
  if (!name.empty() && !ParseUrl("https://" + name))
    section.Problem("tls-server-name", "is not a host name");
}

}  // namespace fedra::config
