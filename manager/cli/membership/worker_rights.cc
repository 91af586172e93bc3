#include "manager/cli/membership/worker_rights.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/assert.h"
#include "config/yaml_json.h"

namespace fedra::cli {
namespace {

constexpr std::string_view kEveryWorkers = "worker-rbac.yaml";
constexpr std::string_view kRenewal = "worker-rbac-token-renewal.yaml";
constexpr std::string_view kPrefix = "worker-rbac-";
constexpr std::string_view kSuffix = ".yaml";

const kube::Resource* ResourceOfKind(std::string_view kind) {
  static const std::string rbac = "rbac.authorization.k8s.io";
  static const std::vector<kube::Resource> known = {
      {"", "v1", "namespaces", "Namespace", false},
      {"", "v1", "serviceaccounts", "ServiceAccount", true},
      {rbac, "v1", "roles", "Role", true},
      {rbac, "v1", "rolebindings", "RoleBinding", true},
      {rbac, "v1", "clusterroles", "ClusterRole", false},
      {rbac, "v1", "clusterrolebindings", "ClusterRoleBinding", false},
  };
  const auto found = std::ranges::find(known, kind, &kube::Resource::kind);
  return found == known.end() ? nullptr : &*found;
}

std::string FileOf(const std::string& optional) {
  return fmt::format("{}{}{}", kPrefix, optional, kSuffix);
}

Result<RightsObject> ObjectOf(std::string text) {
  const auto document = nlohmann::json::parse(text);
  const std::string kind = document.value("kind", "");
  const kube::Resource* const resource = ResourceOfKind(kind);
  if (resource == nullptr || document.value("apiVersion", "") != resource->ApiVersion())
    return Fail(ErrorCode::kInternal, fmt::format("the kind {} is not known", kind));
  const nlohmann::json& metadata = document.at("metadata");
  return RightsObject{
      *resource, {metadata.value("namespace", ""), metadata.value("name", "")}, std::move(text)};
}

Result<void> AddFile(std::string_view name, std::vector<RightsObject>& objects) {
  const auto files = WorkerRightsFiles();
  const auto file = std::ranges::find(files, name, &RightsFile::name);
  FEDRA_ASSERT(file != files.end(), "deploy/ has the files that are named here");
  FEDRA_ASSIGN_OR_RETURN(std::vector<std::string> documents, config::YamlToJson(file->text));
  for (std::string& document : documents) {
    Result<RightsObject> object = ObjectOf(std::move(document));
    if (!object) return Fail(std::move(object).error().WithContext(name));
    objects.push_back(*std::move(object));
  }
  return {};
}

}  // namespace

std::vector<std::string> OptionalRights() {
  std::vector<std::string> names;
  for (const RightsFile& file : WorkerRightsFiles()) {
    if (file.name == kEveryWorkers || file.name == kRenewal) continue;
    std::string_view name = file.name.substr(kPrefix.size());
    name.remove_suffix(kSuffix.size());
    names.emplace_back(name);
  }
  return names;
}

Result<std::vector<RightsObject>> RightsWith(const std::vector<std::string>& optional) {
  std::vector<RightsObject> objects;
  FEDRA_RETURN_IF_ERROR(AddFile(kEveryWorkers, objects));
  FEDRA_RETURN_IF_ERROR(AddFile(kRenewal, objects));
  for (const std::string& each : optional) FEDRA_RETURN_IF_ERROR(AddFile(FileOf(each), objects));
  return objects;
}

}  // namespace fedra::cli
