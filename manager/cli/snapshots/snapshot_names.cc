#include "manager/cli/snapshots/snapshot_names.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "manager/tracking/json_fields.h"

namespace fedra::cli {
namespace {

using nlohmann::json;
using tracking::Member;
using tracking::Path;
using tracking::Text;

constexpr size_t kHashDigits = 10;
constexpr std::string_view kLeftOut = "(left out)";
constexpr std::string_view kDependency = "name";  // of whatever else pods name

using Pseudonyms = std::map<std::string, std::string>;

// "node-0007": numbers in the order of the names, all of the same width.
Pseudonyms Numbered(const std::set<std::string>& names, std::string_view kind) {
  const size_t width = std::to_string(names.size()).size();
  Pseudonyms numbered;
  for (const std::string& name : names)
    numbered.emplace(name, fmt::format("{}-{:0{}}", kind, numbered.size() + 1, width));
  return numbered;
}

// The member of an object, to be changed; null when it is not there.
json* Find(json& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}
json* Find(json& object, std::initializer_list<const char*> names) {
  json* at = &object;
  for (const char* name : names)
    if (at != nullptr) at = Find(*at, name);
  return at;
}

template <class F>
void ForEach(json* list, F&& each) {
  if (list == nullptr || !(list->is_array() || list->is_object())) return;
  for (json& item : *list) each(item);
}

void ReplaceWith(json* text, const Pseudonyms& names) {
  if (text == nullptr || !text->is_string()) return;
  const auto found = names.find(text->get_ref<const std::string&>());
  if (found != names.end()) *text = found->second;
}

void ReplaceWithHash(json* text, std::string_view kind) {
  if (text == nullptr || !text->is_string()) return;
  const auto& name = text->get_ref<const std::string&>();
  if (!name.empty()) *text = Pseudonym(kind, name);
}

// One worker's names that are numbered.
class Redaction final {
 public:
  explicit Redaction(const RecordedWorker& worker);
  void Apply(const std::string& resource, json& object) const;

 private:
  void Selector(json* selector) const;
  void Slice(json& object) const;
  void Claim(json& object) const;
  void Node(json& object) const;
  void PodNames(json& object) const;
  bool IsOfJobs(const std::string& resource) const;
  static void ClaimNames(json& object);

  const tracking::JobKinds& kinds_;
  Pseudonyms nodes_, pools_, slices_;
};

Redaction::Redaction(const RecordedWorker& worker) : kinds_(*worker.settings.verified.kinds) {
  std::set<std::string> nodes, pools, slices;
  for (const RecordedResource& resource : worker.resources) {
    for (const json& item : resource.items) {
      const std::string name = Text(Member(item, "metadata"), "name");
      const json& spec = Member(item, "spec");
      if (resource.name == "nodes") nodes.insert(name);
      if (resource.name == "pods") nodes.insert(Text(spec, "nodeName"));
      const json& results = Path(item, {"status", "allocation", "devices", "results"});
      if (results.is_array())
        for (const json& result : results) pools.insert(Text(result, "pool"));
      if (resource.name == "devicetaintrules.resource.k8s.io")
        pools.insert(Text(Member(spec, "deviceSelector"), "pool"));
      if (resource.name != "resourceslices.resource.k8s.io") continue;
      slices.insert(name);
      nodes.insert(Text(spec, "nodeName"));
      pools.insert(Text(Member(spec, "pool"), "name"));
    }
  }
  for (auto* names : {&nodes, &pools, &slices}) names->erase("");
  nodes_ = Numbered(nodes, "node");
  pools_ = Numbered(pools, "pool");
  slices_ = Numbered(slices, "slice");
}

void Redaction::Selector(json* selector) const {
  if (selector == nullptr) return;
  ForEach(Find(*selector, "nodeSelectorTerms"), [&](json& term) {
    for (const char* list : {"matchExpressions", "matchFields"}) {
      ForEach(Find(term, list), [&](json& requirement) {
        ForEach(Find(requirement, "values"), [&](json& value) { ReplaceWith(&value, nodes_); });
      });
    }
  });
}

void Redaction::Slice(json& object) const {
  ReplaceWith(Find(object, {"metadata", "name"}), slices_);
  ReplaceWith(Find(object, {"spec", "nodeName"}), nodes_);
  ReplaceWith(Find(object, {"spec", "pool", "name"}), pools_);
  Selector(Find(object, {"spec", "nodeSelector"}));
  ForEach(Find(object, {"spec", "devices"}), [&](json& device) {
    // Up to v1beta1 everything but the name is below "basic".
    json* basic = Find(device, "basic");
    json& fields = basic != nullptr ? *basic : device;
    ReplaceWith(Find(fields, "nodeName"), nodes_);
    Selector(Find(fields, "nodeSelector"));
    ForEach(Find(fields, "attributes"),
            [&](json& attribute) { ReplaceWith(Find(attribute, "string"), nodes_); });
  });
}

void Redaction::Claim(json& object) const {
  ReplaceWithHash(Find(object, {"metadata", "name"}), "claim");
  Selector(Find(object, {"status", "allocation", "nodeSelector"}));
  const auto replace_pool = [&](json& device) { ReplaceWith(Find(device, "pool"), pools_); };
  ForEach(Find(object, {"status", "allocation", "devices", "results"}), replace_pool);
  ForEach(Find(object, {"status", "devices"}), replace_pool);
}

void Redaction::Node(json& object) const {
  ReplaceWith(Find(object, {"metadata", "name"}), nodes_);
  ForEach(Find(object, {"metadata", "labels"}), [&](json& value) { ReplaceWith(&value, nodes_); });
}

void Redaction::PodNames(json& object) const {
  ReplaceWithHash(Find(object, {"metadata", "name"}), "pod");
  if (json* labels = Find(object, {"metadata", "labels"}); labels != nullptr) {
    for (const tracking::JobAdapter* kind : kinds_.all())
      ReplaceWithHash(Find(*labels, kind->pod_label().key.c_str()), "job");
  }
  ClaimNames(object);
}

// Of pods and PodGroups.
void Redaction::ClaimNames(json& object) {
  ForEach(Find(object, {"spec", "resourceClaims"}), [](json& claim) {
    ReplaceWithHash(Find(claim, "resourceClaimName"), "claim");
    ReplaceWithHash(Find(claim, "resourceClaimTemplateName"), "template");
  });
  for (const char* list : {"resourceClaimStatuses", "nodeAllocatableResourceClaimStatuses"})
    ForEach(Find(object, {"status", list}),
            [](json& claim) { ReplaceWithHash(Find(claim, "resourceClaimName"), "claim"); });
}

bool Redaction::IsOfJobs(const std::string& resource) const {
  return std::any_of(kinds_.all().begin(), kinds_.all().end(), [&](const auto* kind) {
    return RecordedName(kind->resource(), kind->labels_on_worker()) == resource;
  });
}

void Redaction::Apply(const std::string& resource, json& object) const {
  json* name = Find(object, {"metadata", "name"});
  ReplaceWithHash(Find(object, {"metadata", "namespace"}), "ns");
  if (resource == "resourceslices.resource.k8s.io") return Slice(object);
  if (resource == "resourceclaims.resource.k8s.io") return Claim(object);
  if (resource == "resourceclaimtemplates.resource.k8s.io")
    return ReplaceWithHash(name, "template");
  if (resource == "nodes") return Node(object);
  if (resource == "namespaces") return ReplaceWithHash(name, "ns");
  if (resource == "deviceclasses.resource.k8s.io") return;
  // The Workload of a group of pods has the group's name.
  if (IsOfJobs(resource) || resource == "workloads.kueue.x-k8s.io")
    return ReplaceWithHash(name, "job");
  if (resource == "devicetaintrules.resource.k8s.io")
    return ReplaceWith(Find(object, {"spec", "deviceSelector", "pool"}), pools_);
  if (resource == "clusterqueues.kueue.x-k8s.io") return ReplaceWithHash(name, "clusterqueue");
  if (resource == "localqueues.kueue.x-k8s.io") {
    ReplaceWithHash(Find(object, {"spec", "clusterQueue"}), "clusterqueue");
    return ForEach(Find(object, {"status", "conditions"}),
                   [](json& condition) { condition["message"] = kLeftOut; });
  }
  if (resource == "pods") {
    ReplaceWith(Find(object, {"spec", "nodeName"}), nodes_);
    return PodNames(object);
  }
  if (resource == "podgroups.scheduling.k8s.io") ClaimNames(object);
  ReplaceWithHash(name, kDependency);
}

}  // namespace

std::string Pseudonym(std::string_view kind, std::string_view name) {
  return fmt::format("{}-{}", kind, HashHex(name).substr(0, kHashDigits));
}

void RedactNames(SnapshotFile& file) {
  file.redacted = true;
  if (file.manager_templates) {
    for (json& item : file.manager_templates->items) {
      ReplaceWithHash(Find(item, {"metadata", "namespace"}), "ns");
      ReplaceWithHash(Find(item, {"metadata", "name"}), "template");
    }
  }
  for (RecordedWorker& worker : file.workers) {
    // Messages of servers and of Kueue name all kinds of things.
    if (worker.connection.why) worker.connection.why->message = kLeftOut;
    const Redaction redaction(worker);
    for (RecordedResource& resource : worker.resources) {
      if (auto& error = resource.health.error)
        error = std::make_shared<const Error>(error->code, std::string(kLeftOut));
      for (json& item : resource.items) redaction.Apply(resource.name, item);
    }
  }
}

tracking::SubmittedJob WithPseudonyms(tracking::SubmittedJob job) {
  const auto rename = [](std::vector<dra::ClaimReference>& claims) {
    for (dra::ClaimReference& claim : claims) {
      if (!claim.template_name.empty())
        claim.template_name = Pseudonym("template", claim.template_name);
      if (!claim.claim_name.empty()) claim.claim_name = Pseudonym("claim", claim.claim_name);
    }
  };
  job.key = {Pseudonym("ns", job.key.ns), Pseudonym("job", job.key.name)};
  for (ObjectKey& member : job.members) member = {job.key.ns, Pseudonym("job", member.name)};
  std::ranges::sort(job.members);
  job.requirement.ns = job.key.ns;
  for (tracking::PodSet& pod_set : job.requirement.pod_sets) rename(pod_set.claims);
  for (tracking::Dependency& dependency : job.requirement.dependencies)
    dependency.name = Pseudonym(kDependency, dependency.name);
  for (tracking::Reference& reference : job.requirement.references) {
    if (!reference.key.ns.empty()) reference.key.ns = job.key.ns;
    reference.key.name = Pseudonym(kDependency, reference.key.name);
  }
  auto demands = *job.requirement.demands;
  for (dra::PodDemand& demand : demands) {
    rename(demand.claims);
    if (!demand.pod_group.empty()) demand.pod_group = Pseudonym(kDependency, demand.pod_group);
  }
  job.requirement.demands = std::make_shared<const std::vector<dra::PodDemand>>(std::move(demands));
  return job;
}

}  // namespace fedra::cli
