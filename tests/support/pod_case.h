#pragma once
//
// One pod and one cluster as JSON (dra/README.md, pod-lines), judged as Judge() judges a pod set:
// the whole verdict, and what each node alone would give; up to 1.35 in every order of its pools.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dra/judge/judge.h"
#include "dra/model/pool_order.h"
#include "tests/support/dra_case.h"

namespace fedra::test {

struct PodCase {
  std::string ns;
  dra::PodDemand pod;
  std::vector<dra::Node> nodes;
  dra::SnapshotBuilder builder;  // everything but the nodes
};

inline Result<PodCase> ReadPodCase(const nlohmann::json& input, dra::ParseContext& context) {
  using nlohmann::json;
  if (!input.is_object()) return Fail(ErrorCode::kInvalidArgument, "not an object");
  FEDRA_ASSIGN_OR_RETURN(dra::AllocatorFeatures features,
                         dra::FeaturesOf(input.value("k8s", "1.36")));
  features.device_taint_rules = input.value("deviceTaintRules", features.device_taint_rules);
  PodCase result{.ns = "", .pod = {}, .nodes = {}, .builder = dra::SnapshotBuilder(features)};
  FEDRA_RETURN_IF_ERROR(internal::ReadCluster(input, context, result.builder));
  FEDRA_RETURN_IF_ERROR(internal::ForEach(
      input, "claims", [&](const json& o) { return dra::ParseClaim(o, context); },
      [&](dra::Claim v) { result.builder.SetClaim(std::move(v)); }));
  FEDRA_RETURN_IF_ERROR(internal::ForEach(
      input, "templates", [&](const json& o) { return dra::ParseClaimTemplate(o, context); },
      [&](dra::ClaimTemplate v) { result.builder.SetTemplate(std::move(v)); }));
  FEDRA_RETURN_IF_ERROR(internal::ForEach(
      input, "nodes", [&](const json& o) { return dra::ParseNode(o, context); },
      [&](dra::Node v) { result.nodes.push_back(std::move(v)); }));
  const json pod = input.value("pod", json::object());
  FEDRA_ASSIGN_OR_RETURN(result.pod, dra::ParsePodDemand(pod, context));
  const json metadata = pod.value("metadata", json::object());
  result.ns = metadata.value("namespace", "default");
  return result;
}

// Over the first `count` of the nodes, beginning at `first`.
inline dra::Judgement JudgeOn(PodCase& input, size_t first, size_t count,
                              dra::SelectorCache& selectors) {
  for (size_t i = first; i < first + count; ++i) input.builder.SetNode(input.nodes[i]);
  const auto snapshot = input.builder.Publish();
  dra::MatchCache matches;
  dra::JudgeOptions options;
  options.name_devices = true;
  auto judgement = dra::Judge(input.ns, {&input.pod, 1}, *snapshot, {selectors, matches}, options);
  for (size_t i = first; i < first + count; ++i) input.builder.RemoveNode(input.nodes[i].name);
  return judgement;
}

namespace internal {

// Those of the pod that are not allocated, as the judge calls them.
inline std::vector<dra::UnallocatedClaim> ClaimsToAllocate(const PodCase& input,
                                                           const dra::Snapshot& snapshot) {
  std::vector<dra::UnallocatedClaim> claims;
  for (const dra::ClaimReference& reference : input.pod.claims) {
    if (!reference.template_name.empty()) {
      const auto made_from = snapshot.templates().Find({input.ns, reference.template_name});
      if (made_from) claims.push_back({{"", reference.pod_claim}, (*made_from)->spec.get()});
      continue;
    }
    const ObjectKey key{input.ns, reference.claim_name};
    const auto claim = snapshot.claims().Find(key);
    if (claim && !(*claim)->allocation) claims.push_back({key, &(*claim)->spec});
  }
  return claims;
}

// A number of its own for each device: all orders differ.
inline dra::DeviceKinds DistinctKinds(const dra::NodeView& view) {
  dra::DeviceKinds kinds;
  uint32_t number = 0;
  for (const auto& pool : view.pools) {
    kinds.emplace_back(pool->devices.size());
    for (uint32_t& kind : kinds.back()) kind = ++number;
  }
  return kinds;
}

}  // namespace internal

// What the allocator gives the pod of this node, in every order of the node's pools and slices.
// Empty: there are more than 5,040.
inline std::vector<DraAnswer> AllocateInOrders(PodCase& input, size_t node,
                                               dra::SelectorCache& selectors) {
  for (const dra::Node& each : input.nodes) input.builder.SetNode(each);
  const auto snapshot = input.builder.Publish();
  dra::MatchCache matches;
  const auto claims = internal::ClaimsToAllocate(input, *snapshot);
  const dra::PodClaims pod = dra::Prepare(claims, *snapshot, matches, selectors);
  const dra::NodeView view = dra::ViewOf(*snapshot, input.nodes[node]);
  const dra::AllocatorFeatures& features = snapshot->features();
  std::vector<DraAnswer> answers;
  for (const auto& order :
       dra::OrdersThatDiffer(view, internal::DistinctKinds(view), features, 5040))
    answers.push_back(internal::SolveOn(order, pod, matches, features, {.max_steps = 20'000}));
  for (const dra::Node& each : input.nodes) input.builder.RemoveNode(each.name);
  return answers;
}

}  // namespace fedra::test
