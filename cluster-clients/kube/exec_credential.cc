#include "cluster-clients/kube/exec_credential.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/time.h"
#include "cluster-clients/kube/json_fields.h"

namespace fedra::kube {
namespace {

using nlohmann::json;

// The output is never repeated: it is made of secrets.
auto Unusable(const ExecPlugin& plugin, std::string_view why) {
  return Fail(ErrorCode::kUnauthorized,
              fmt::format("credential plugin {}: {}", plugin.command, why));
}

// A header with a line break would become two.
bool IsHeaderSafe(std::string_view token) {
  for (const char c : token) {
    if (static_cast<unsigned char>(c) <= 0x20 || c == 0x7f) return false;
  }
  return true;
}

}  // namespace

std::string ExecInfo(const AccessSettings& access, const ExecPlugin& plugin) {
  json spec = {{"interactive", false}};
  if (plugin.provide_cluster_info) {
    json cluster = {{"server", access.server}};
    if (!access.tls_server_name.empty()) cluster["tls-server-name"] = access.tls_server_name;
    if (access.insecure_skip_tls_verify) cluster["insecure-skip-tls-verify"] = true;
    if (!access.ca_pem.empty()) cluster["certificate-authority-data"] = Base64Encode(access.ca_pem);
    if (!access.proxy_url.empty()) cluster["proxy-url"] = access.proxy_url;
    // It was parsed where it came from; what is no JSON all the same is left out.
    json config = json::parse(plugin.cluster_config, nullptr, /*allow_exceptions=*/false);
    if (!config.is_discarded()) cluster["config"] = std::move(config);
    spec["cluster"] = std::move(cluster);
  }
  const json info = {
      {"apiVersion", plugin.api_version}, {"kind", "ExecCredential"}, {"spec", std::move(spec)}};
  return info.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<Credentials> ReadExecCredential(const ExecPlugin& plugin, std::string_view output) {
  const json answer = json::parse(output, nullptr, /*allow_exceptions=*/false);
  if (!answer.is_object()) return Unusable(plugin, "it did not print a JSON object");
  if (Text(answer, "kind") != "ExecCredential")
    return Unusable(plugin, "it did not print an ExecCredential");
  if (Text(answer, "apiVersion") != plugin.api_version) {
    return Unusable(plugin, fmt::format("it speaks another version than {}", plugin.api_version));
  }
  const auto status = answer.find("status");
  if (status == answer.end() || !status->is_object())
    return Unusable(plugin, "it returned no status");
  Credentials credentials;
  credentials.client_certificate_pem = Text(*status, "clientCertificateData");
  credentials.client_key_pem = Text(*status, "clientKeyData");
  const std::string token = Text(*status, "token");
  if (!IsHeaderSafe(token)) return Unusable(plugin, "the token contains white space");
  if (!token.empty()) credentials.authorization = "Bearer " + token;
  if (credentials.client_certificate_pem.empty() != credentials.client_key_pem.empty()) {
    return Unusable(plugin,
                    "it returned a certificate without a key, or a key without a certificate");
  }
  if (token.empty() && credentials.client_certificate_pem.empty()) {
    return Unusable(plugin, "it returned neither a token nor a certificate");
  }
  if (const std::string expires = Text(*status, "expirationTimestamp"); !expires.empty()) {
    const Result<WallTime> time = ParseRfc3339(expires);
    if (!time) return Unusable(plugin, "expirationTimestamp is not a time");
    credentials.expires = *time;
  }
  return credentials;
}

}  // namespace fedra::kube
