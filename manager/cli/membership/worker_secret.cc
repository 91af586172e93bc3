#include "manager/cli/membership/worker_secret.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/time.h"
#include "manager/text/yaml_text.h"

namespace fedra::cli {
namespace {

constexpr const char* kWorkerLabel = "fedra.dev/worker";
constexpr const char* kEndsAnnotation = "fedra.dev/token-ends";

nlohmann::ordered_json ClusterEntry(const kube::AccessSettings& access) {
  nlohmann::ordered_json cluster = {{"server", access.server}};
  if (!access.ca_pem.empty()) cluster["certificate-authority-data"] = Base64Encode(access.ca_pem);
  if (!access.tls_server_name.empty()) cluster["tls-server-name"] = access.tls_server_name;
  if (!access.proxy_url.empty()) cluster["proxy-url"] = access.proxy_url;
  return cluster;
}

std::string StringAt(const nlohmann::json& object, const nlohmann::json::json_pointer& where) {
  if (!object.is_object() || !object.contains(where) || !object.at(where).is_string()) return {};
  return object.at(where).get<std::string>();
}

nlohmann::json ParsedObject(const std::string& object) {
  return nlohmann::json::parse(object, nullptr, /*allow_exceptions=*/false);
}

}  // namespace

const kube::Resource kSecrets{"", "v1", "secrets", "Secret", true};

std::string TokenKubeconfig(const std::string& worker, const kube::AccessSettings& access,
                            const std::string& token) {
  using nlohmann::ordered_json;
  const auto named = [](const std::string& name, const char* key, ordered_json value) {
    return ordered_json::array({ordered_json{{"name", name}, {key, std::move(value)}}});
  };
  const std::string user = "fedra";
  return text::ToYaml(ordered_json{
      {"apiVersion", "v1"},
      {"kind", "Config"},
      {"clusters", named(worker, "cluster", ClusterEntry(access))},
      {"users", named(user, "user", {{"token", token}})},
      {"contexts", named(worker, "context", {{"cluster", worker}, {"user", user}})},
      {"current-context", worker},
  });
}

ObjectKey SecretKeyOf(const std::string& ns, const std::string& worker) {
  return {ns, "fedra-worker-" + worker};
}

std::string SecretName(const ObjectKey& key) { return "manager: Secret " + key.ToString(); }

std::string SecretDocument(const ObjectKey& key, const std::string& worker,
                           const std::string& kubeconfig, const WallTime* token_ends) {
  nlohmann::ordered_json metadata = {
      {"name", key.name},
      {"namespace", key.ns},
      {"labels", {{"app.kubernetes.io/managed-by", "fedra"}, {kWorkerLabel, worker}}}};
  if (token_ends != nullptr)
    metadata["annotations"] = {{kEndsAnnotation, FormatRfc3339(*token_ends)}};
  const std::string value = token_ends != nullptr ? Base64Encode(kubeconfig) : kubeconfig;
  return nlohmann::ordered_json{{"apiVersion", "v1"},
                                {"kind", "Secret"},
                                {"metadata", metadata},
                                {"type", "Opaque"},
                                {"data", {{kKubeconfigKey, value}}}}
      .dump();
}

Result<void> IsSecretOf(const std::string& worker, const std::string& object) {
  using Pointer = nlohmann::json::json_pointer;
  const std::string label =
      StringAt(ParsedObject(object), Pointer("/metadata/labels") / kWorkerLabel);
  if (label == worker) return {};
  return Fail(ErrorCode::kConflict,
              fmt::format("it was not made by `fedra join` for {}: its label {} is {}", worker,
                          kWorkerLabel, label.empty() ? "not set" : label));
}

Result<std::optional<std::string>> FindSecretOf(Cluster& manager, const ObjectKey& key,
                                                const std::string& worker) {
  auto found = manager.Get(kSecrets, key);
  if (!found && found.error().code == ErrorCode::kNotFound) return std::nullopt;
  if (!found) return Fail(found.error());
  const Result<void> ours = IsSecretOf(worker, *found);
  if (!ours) return Fail(ours.error().WithContext(SecretName(key)));
  return *std::move(found);
}

Result<std::string> KubeconfigIn(const std::string& worker, const std::string& object) {
  FEDRA_RETURN_IF_ERROR(IsSecretOf(worker, object));
  using Pointer = nlohmann::json::json_pointer;
  const std::string data = StringAt(ParsedObject(object), Pointer("/data") / kKubeconfigKey);
  auto kubeconfig = Base64Decode(data);
  if (!kubeconfig || kubeconfig->empty())
    return Fail(ErrorCode::kInvalid, fmt::format("its key {} is empty", kKubeconfigKey));
  return *std::move(kubeconfig);
}

}  // namespace fedra::cli
