#include "manager/cli/membership/worker_rights.h"

#include <algorithm>
#include <iterator>
#include <set>
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
// The role that mode dispatcher does without.
constexpr std::string_view kWriting = "fedra-worker-writing";
constexpr std::string_view kBinding = "ClusterRoleBinding";
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

// As the files have them: for all namespaces.
Result<std::vector<RightsObject>> Applied(const std::vector<std::string>& optional) {
  std::vector<RightsObject> objects;
  FEDRA_RETURN_IF_ERROR(AddFile(kEveryWorkers, objects));
  FEDRA_RETURN_IF_ERROR(AddFile(kRenewal, objects));
  for (const std::string& each : optional) FEDRA_RETURN_IF_ERROR(AddFile(FileOf(each), objects));
  return objects;
}

bool Holds(const std::vector<RightsObject>& objects, const RightsObject& object) {
  return std::ranges::any_of(objects, [&](const RightsObject& each) {
    return each.resource == object.resource && each.key == object.key;
  });
}

// Lists and watches are of all namespaces at once; whatever else a role allows is done in one.
bool ActsInNamespaces(const RightsObject& role) {
  const auto document = nlohmann::json::parse(role.json);
  for (const nlohmann::json& rule : document.at("rules"))
    for (const nlohmann::json& verb : rule.at("verbs"))
      if (verb == "list" || verb == "watch") return false;
  return true;
}

RightsObject BoundIn(const RightsObject& binding, const std::string& ns) {
  auto document = nlohmann::json::parse(binding.json);
  const kube::Resource& resource = *ResourceOfKind("RoleBinding");
  document["kind"] = resource.kind;
  document["metadata"]["namespace"] = ns;
  return {resource, {ns, binding.key.name}, document.dump()};
}

// Each binding of a role of namespaces is one in each of these. It is called as its role.
std::vector<RightsObject> Narrowed(std::vector<RightsObject> objects,
                                   const std::vector<std::string>& namespaces) {
  std::set<std::string> narrow;
  for (const RightsObject& each : objects)
    if (each.resource.kind == "ClusterRole" && ActsInNamespaces(each)) narrow.insert(each.key.name);
  std::vector<RightsObject> bound;
  for (RightsObject& each : objects) {
    if (each.resource.kind != kBinding || !narrow.contains(each.key.name)) {
      bound.push_back(std::move(each));
      continue;
    }
    for (const std::string& ns : namespaces) bound.push_back(BoundIn(each, ns));
  }
  return bound;
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

Result<std::vector<RightsObject>> RightsFor(const WantedRights& wanted) {
  FEDRA_ASSIGN_OR_RETURN(std::vector<RightsObject> objects, Applied(wanted.optional));
  if (wanted.only_reads)
    std::erase_if(objects, [](const RightsObject& each) { return each.key.name == kWriting; });
  if (!wanted.namespaces.empty()) objects = Narrowed(std::move(objects), wanted.namespaces);
  return objects;
}

Result<std::vector<RightsObject>> BindingsBeyond(const WantedRights& wanted,
                                                 const std::vector<std::string>& before) {
  FEDRA_ASSIGN_OR_RETURN(std::vector<RightsObject> beyond, AllRights(before));
  FEDRA_ASSIGN_OR_RETURN(const std::vector<RightsObject> kept, RightsFor(wanted));
  // Of what was granted for all namespaces stays what --with has asked for at another time.
  const auto is_replaced = [&](const RightsObject& binding) {
    return binding.key.name == kWriting || std::ranges::any_of(kept, [&](const RightsObject& each) {
             return each.resource.kind == "ClusterRole" && each.key.name == binding.key.name;
           });
  };
  std::erase_if(beyond, [&](const RightsObject& each) {
    if (each.resource.kind == kBinding) return Holds(kept, each) || !is_replaced(each);
    return each.resource.kind != "RoleBinding" || Holds(kept, each);
  });
  return beyond;
}

Result<std::vector<RightsObject>> AllRights(const std::vector<std::string>& namespaces) {
  FEDRA_ASSIGN_OR_RETURN(std::vector<RightsObject> all, Applied(OptionalRights()));
  for (RightsObject& object : Narrowed(all, namespaces))
    if (!Holds(all, object)) all.push_back(std::move(object));
  return all;
}

}  // namespace fedra::cli
