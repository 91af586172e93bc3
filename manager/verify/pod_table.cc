#include "manager/verify/pod_table.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "dra/model/pod_demand.h"
#include "manager/tracking/json_fields.h"
#include "manager/tracking/kueue_api.h"

namespace fedra::verify {
namespace {

using nlohmann::json;

bool HoldsItsDevices(const PodFacts& pod, const std::string& ns, const dra::Snapshot& snapshot) {
  if (pod.ended) return !pod.failed;
  if (pod.claims_to_come > 0) return false;
  if (pod.claims.empty()) return !pod.node.empty();
  return std::all_of(pod.claims.begin(), pod.claims.end(), [&](const std::string& name) {
    const auto* claim = snapshot.claims().Find({ns, name});
    return claim != nullptr && (*claim)->allocation.has_value();
  });
}

constexpr size_t kMaxFailure = 80;
constexpr size_t kMaxFailuresTold = 3;

// Whether one of these containers ended with an error; the first of them counts.
bool ReadFailure(const json& containers, PodFacts& pod) {
  if (!containers.is_array()) return false;
  for (const json& container : containers) {
    const json& ended = tracking::Member(tracking::Member(container, "state"), "terminated");
    const json& code = tracking::Member(ended, "exitCode");
    if (!code.is_number_integer() || code == 0) continue;
    const std::string reason = tracking::Text(ended, "reason");
    const bool says_more = !reason.empty() && reason != "Error";
    pod.failure = Cut(fmt::format("exit code {}{}", code.get<int64_t>(),
                                  says_more ? " (" + reason + ")" : std::string()),
                      kMaxFailure);
    pod.failed_container = tracking::Text(container, "name");
    return true;
  }
  return false;
}

// Of a pod that its node gave up, the reason. Where an init container fails, the others never run.
void ReadFailures(const json& status, PodFacts& pod) {
  pod.failure = Cut(tracking::Text(status, "reason"), kMaxFailure);
  if (!ReadFailure(tracking::Member(status, "initContainerStatuses"), pod))
    ReadFailure(tracking::Member(status, "containerStatuses"), pod);
}

// One claim's entry of nodeAllocatableResourceClaimStatuses, as resources of the pod: what 1.36
// records, and what 1.37 does (addDRANodeAllocatableClaimResources of
// k8s.io/component-helpers/resource v0.37.2).
dra::Amounts ReadNodeClaim(const json& claim, dra::ParseContext& context) {
  dra::Amounts amounts;
  const auto add = [&](std::string_view name, const json& amount, int64_t times) {
    if (!amount.is_string() || times <= 0) return;
    const auto one = Quantity::Parse(amount.get_ref<const std::string&>());
    if (!one) return;
    if (const auto all = one->Mul(Quantity(times)))
      dra::AddAmounts(amounts, {{context.symbols.Intern(name), *all}});
  };
  const json& resources = tracking::Member(claim, "resources");
  if (resources.is_object())
    for (const auto& [name, amount] : resources.items()) add(name, amount, 1);
  const json& mapping = tracking::Member(claim, "mapping");
  if (mapping.is_array())
    for (const json& taken : mapping)
      add(tracking::Text(taken, "name"), tracking::Member(taken, "quantity"), 1);
  const json& overhead = tracking::Member(claim, "overhead");
  const json& containers = tracking::Member(claim, "containers");
  const auto uses = static_cast<int64_t>(containers.is_array() ? containers.size() : 0);
  if (overhead.is_array()) {
    for (const json& taken : overhead) {
      add(tracking::Text(taken, "name"), tracking::Member(taken, "perPod"), 1);
      add(tracking::Text(taken, "name"), tracking::Member(taken, "perContainer"), uses);
    }
  }
  return amounts;
}

// What the scheduler has recorded of the pod's devices (KEP-5517) counts like its requests, unless
// the pod asks for the resource as a whole: CalculateResource and
// updateNodeAllocatableDRAClaimState in pkg/scheduler/framework/types.go of Kubernetes v1.36.3. In
// the form of 1.37 no other pod of the node is kept from a claim by it.
void ReadNodeClaims(const json& status, const dra::Amounts& pod_level, dra::ParseContext& context,
                    PodFacts& pod) {
  const json& claims = tracking::Member(status, "nodeAllocatableResourceClaimStatuses");
  if (!claims.is_array()) return;
  for (const json& claim : claims) {
    if (tracking::Member(claim, "mapping").is_null() &&
        tracking::Member(claim, "overhead").is_null())
      pod.node_claims.push_back(tracking::Text(claim, "resourceClaimName"));
    for (const auto& entry : ReadNodeClaim(claim, context))
      if (dra::FindAmount(pod_level, entry.first) == nullptr)
        dra::AddAmounts(pod.requests, {entry});
  }
}

// A running pod's terms against the pods of the job: getExistingAntiAffinityCounts of
// pkg/scheduler/framework/plugins/interpodaffinity/filtering.go, v1.36.3. Labels are not compared.
std::set<std::string> ReadRepelled(const json& spec, const std::string& ns) {
  const json& affinity = tracking::Member(tracking::Member(spec, "affinity"), "podAntiAffinity");
  const json& terms = tracking::Member(affinity, "requiredDuringSchedulingIgnoredDuringExecution");
  std::set<std::string> repelled;
  if (!terms.is_array()) return repelled;
  for (const json& term : terms) {
    const json& named = tracking::Member(term, "namespaces");
    if (!tracking::Member(term, "namespaceSelector").is_null())
      repelled.insert("*");
    else if (!named.is_array() || named.empty())
      repelled.insert(ns);
    if (!named.is_array()) continue;
    for (const json& name : named)
      if (name.is_string()) repelled.insert(name.get<std::string>());
  }
  return repelled;
}

}  // namespace

Result<PodFacts> ParsePodFacts(const json& object, const tracking::JobKinds& kinds,
                               dra::ParseContext& context) {
  FEDRA_ASSIGN_OR_RETURN(dra::PodDemand demand, dra::ParsePodDemand(object, context));
  const json& metadata = tracking::Member(object, "metadata");
  const json& status = tracking::Member(object, "status");
  PodFacts pod;
  pod.node = context.symbols.Intern(tracking::Text(tracking::Member(object, "spec"), "nodeName"));
  if (auto job = kinds.JobOfPod(metadata)) pod.job = *std::move(job);
  pod.pod_set =
      tracking::Text(tracking::Member(metadata, "labels"), std::string(tracking::kPodSetLabel));
  pod.group = {tracking::Text(metadata, "namespace"), std::move(demand.pod_group)};
  const std::string phase = tracking::Text(status, "phase");
  pod.failed = phase == "Failed";
  if (pod.failed) ReadFailures(status, pod);
  pod.ended = pod.failed || phase == "Succeeded";
  pod.repels = ReadRepelled(tracking::Member(object, "spec"), pod.group.ns);
  pod.requests = std::move(demand.requests);
  dra::AddAmounts(pod.requests, demand.unrequested);
  dra::AddAmounts(pod.requests, demand.host_ports);
  ReadNodeClaims(status, demand.pod_level_left, context, pod);
  for (const dra::ClaimReference& claim : demand.claims) {
    if (claim.claim_name.empty())
      ++pod.claims_to_come;
    else
      pod.claims.push_back(claim.claim_name);
  }
  const auto add_generated = [&](const json& claim) {
    std::string name = tracking::Text(claim, "resourceClaimName");
    if (!name.empty()) pod.claims.push_back(std::move(name));
  };
  const json& generated = tracking::Member(status, "resourceClaimStatuses");
  if (generated.is_array()) {
    for (const json& claim : generated) {
      add_generated(claim);
      if (pod.claims_to_come > 0) --pod.claims_to_come;
    }
  }
  add_generated(tracking::Member(status, "extendedResourceClaimStatus"));
  return pod;
}

bool PodTable::Set(const ObjectKey& key, PodFacts pod) {
  const auto known = pods_.find(key);
  if (known != pods_.end() && known->second == pod) return false;
  Drop(key);
  use_.by_node = nullptr;
  if (!pod.job.key.name.empty()) pods_of_job_[pod.job].push_back(key);
  pods_.emplace(key, std::move(pod));
  return true;
}

bool PodTable::Drop(const ObjectKey& key) {
  const auto found = pods_.find(key);
  if (found == pods_.end()) return false;
  if (const auto of_job = pods_of_job_.find(found->second.job); of_job != pods_of_job_.end()) {
    std::erase(of_job->second, key);
    if (of_job->second.empty()) pods_of_job_.erase(of_job);
  }
  pods_.erase(found);
  use_.by_node = nullptr;
  return true;
}

PodTable::Use PodTable::CountUse() {
  if (use_.by_node != nullptr) return use_;
  static const dra::Symbol pods("pods");
  dra::NodeUse used;
  dra::JobOfClaim jobs;
  NodeClaims node_claims;
  std::set<std::string> repelled;
  for (const auto& [key, pod] : pods_) {
    if (pod.node.empty() || pod.ended) continue;
    dra::Amounts& amounts = used[pod.node];
    dra::AddAmounts(amounts, pod.requests);
    dra::AddAmounts(amounts, {{pods, Quantity(1)}});
    repelled.insert(pod.repels.begin(), pod.repels.end());
    for (const std::string& claim : pod.node_claims)
      node_claims[pod.node].insert({.ns = key.ns, .name = claim});
    if (pod.job.key.name.empty()) continue;
    for (const std::string& claim : pod.claims) {
      // Of several jobs with one claim always the same is named.
      const ObjectKey& user = pod.job.key;
      ObjectKey& job = jobs.try_emplace({.ns = key.ns, .name = claim}, user).first->second;
      job = std::min(job, user);
    }
  }
  use_.by_node = std::make_shared<const dra::NodeUse>(std::move(used));
  use_.node_claims = std::make_shared<const NodeClaims>(std::move(node_claims));
  use_.repelled = std::make_shared<const std::set<std::string>>(std::move(repelled));
  use_.jobs = std::make_shared<const dra::JobOfClaim>(std::move(jobs));
  ++use_.serial;
  return use_;
}

int64_t PodTable::InGroup(const ObjectKey& group) const {
  return std::count_if(pods_.begin(), pods_.end(), [&](const auto& entry) {
    return entry.second.group == group && !entry.second.ended;
  });
}

std::string PodTable::FailuresOf(const tracking::JobKey& job) const {
  const auto found = pods_of_job_.find(job);
  if (found == pods_of_job_.end()) return {};
  std::map<std::string, int> counts;
  for (const ObjectKey& key : found->second) {
    const PodFacts& pod = pods_.at(key);
    if (pod.failed && !pod.failure.empty()) ++counts[pod.failure];
  }
  std::vector<std::pair<std::string, int>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (size_t i = 0; i < sorted.size() && i < kMaxFailuresTold; ++i) {
    const auto& [failure, count] = sorted[i];
    text += (i > 0 ? ", " : "") + failure;
    if (count > 1) text += fmt::format(" ({} pods)", count);
  }
  return text;
}

std::optional<FailedContainer> PodTable::FailedContainerOf(const tracking::JobKey& job) const {
  const auto found = pods_of_job_.find(job);
  if (found == pods_of_job_.end()) return std::nullopt;
  for (const ObjectKey& key : found->second) {
    const PodFacts& pod = pods_.at(key);
    if (!pod.failed_container.empty()) return FailedContainer{key, pod.failed_container};
  }
  return std::nullopt;
}

PodCounts PodTable::Holding(const tracking::JobKey& job, const dra::Snapshot& snapshot) const {
  PodCounts counts;
  const auto found = pods_of_job_.find(job);
  if (found == pods_of_job_.end()) return counts;
  for (const ObjectKey& key : found->second) {
    const PodFacts& pod = pods_.at(key);
    if (HoldsItsDevices(pod, job.key.ns, snapshot)) ++counts[pod.pod_set];
  }
  return counts;
}

}  // namespace fedra::verify
