#pragma once
//
// One pod and one cluster as JSON (dra/README.md, pod-lines), judged as Judge() judges a pod set:
// the whole verdict, and what each node alone would give.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dra/judge/judge.h"
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

}  // namespace fedra::test
