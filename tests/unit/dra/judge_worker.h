#pragma once
//
// A worker cluster made of objects as an API server returns them, and Judge() asked about it.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dra/judge/device_set.h"
#include "dra/judge/judge.h"
#include "tests/support/catch.h"
#include "tests/unit/dra/builders.h"
#include "verdict/reason_facts.h"
#include "verdict/reason_text.h"

namespace fedra::test {

using dra::Symbol;
using verdict::ReasonCode;

// A device that draws on the counter "memory" of the set "gpu-0".
inline json Partition(const std::string& name, const char* memory) {
  return Device(name, json::object(),
                {{"consumesCounters",
                  {{{"counterSet", "gpu-0"}, {"counters", {{"memory", {{"value", memory}}}}}}}}});
}

// For one device whose attribute "kind" has this value.
inline json RequestOfKind(const std::string& name, const std::string& kind) {
  const std::string selector = R"(device.attributes["gpu.example.com"].kind == ")" + kind + "\"";
  return Request(name, 1, {{"selectors", Cel({selector})}});
}

// A worker cluster and one question to it.
class Worker {
 public:
  explicit Worker(dra::AllocatorFeatures features = {}) : builder_(std::move(features)) {
    builder_.SetClass(dra::ParseDeviceClass(Class("gpu"), context_).value());
  }

  Worker& Node(const std::string& name, const json& labels = json::object(),
               const json& more = json::object()) {
    json node = {{"metadata", {{"name", name}, {"labels", labels}}}};
    node.merge_patch(more);
    builder_.SetNode(dra::ParseNode(node, context_).value());
    return *this;
  }
  // A slice of one node, which is its pool, unless `more` says otherwise.
  Worker& On(const std::string& node, const std::vector<json>& devices,
             const json& more = json::object()) {
    json place = {{"nodeName", node}, {"pool", {{"name", node}}}};
    place.merge_patch(more);
    if (!place.contains("nodeName")) place["nodeName"] = nullptr;
    builder_.SetSlice(
        dra::ParseSlice(test::Slice("slice-" + std::to_string(slices_++), devices, place), context_)
            .value());
    return *this;
  }
  Worker& Slices(const std::vector<json>& slices) {
    for (const json& slice : slices) builder_.SetSlice(dra::ParseSlice(slice, context_).value());
    return *this;
  }
  // Two slices of one pool: the counter set "gpu-0" with so much "memory", and what draws on it.
  Worker& Parent(const std::string& node, const char* memory, const std::vector<json>& partitions) {
    const json two = {{"pool", {{"resourceSliceCount", 2}}}};
    json sets = two;
    sets["sharedCounters"] = {{{"name", "gpu-0"}, {"counters", {{"memory", {{"value", memory}}}}}}};
    return On(node, {}, sets).On(node, partitions, two);
  }
  Worker& Add(const json& claim) {
    builder_.SetClaim(dra::ParseClaim(claim, context_).value());
    return *this;
  }
  Worker& AddClass(const json& device_class) {
    builder_.SetClass(dra::ParseDeviceClass(device_class, context_).value());
    return *this;
  }
  Worker& Rule(const json& rule) {
    builder_.SetTaintRule(dra::ParseTaintRule(rule, context_).value());
    return *this;
  }
  Worker& Template(const std::string& name, const std::vector<json>& requests,
                   const std::vector<json>& constraints = {}) {
    const json claim = Claim(name, requests, constraints);
    const json object = {{"metadata", claim["metadata"]}, {"spec", {{"spec", claim["spec"]}}}};
    builder_.SetTemplate(dra::ParseClaimTemplate(object, context_).value());
    return *this;
  }

  dra::Judgement Judge(const std::vector<dra::PodDemand>& demands,
                       const dra::JudgeOptions& options = {}) {
    snapshot_ = builder_.Publish();
    auto judgement =
        dra::Judge("ml", demands, *snapshot_, {selectors_, matches_, &memory_}, options);
    for (const verdict::Reason& reason : judgement.verdict.reasons) {
      INFO(verdict::ToString(reason.code) << " with " << verdict::TypeOf(reason.facts));
      CHECK(verdict::AreOf(reason.facts, reason.code));
    }
    return judgement;
  }
  dra::Judgement Pods(int count, const std::string& claim_template) {
    dra::PodDemand demand;
    demand.name = "main";
    demand.count = count;
    demand.claims = {{.pod_claim = "dev", .template_name = claim_template, .claim_name = ""}};
    return Judge({demand});
  }
  // The devices that could serve pods with a claim from this template.
  std::shared_ptr<const dra::DeviceSet> Serving(const dra::PodDemand& demand) {
    snapshot_ = builder_.Publish();
    const auto demands = std::span(&demand, 1);
    const std::string selection_key = dra::SelectionKeyOf("ml", demands, *snapshot_);
    if (selection_key.empty()) return nullptr;
    if (auto known = sets_.Find(selection_key, *snapshot_)) return known;
    return sets_.Keep(selection_key, *snapshot_,
                      dra::MakeDeviceSet("ml", demands, *snapshot_, {selectors_, matches_}));
  }
  std::shared_ptr<const dra::DeviceSet> Serving(const std::string& claim_template) {
    return Serving(dra::PodDemand{
        .claims = {{.pod_claim = "dev", .template_name = claim_template, .claim_name = ""}}});
  }
  const dra::DeviceSets& sets() const { return sets_; }
  dra::PodDemand Parse(const char* pod, int count = 1) {
    auto demand = dra::ParsePodDemand(json::parse(pod), context_).value();
    demand.count = count;
    demand.name = "main";
    return demand;
  }

 private:
  dra::ParseContext context_;
  dra::SnapshotBuilder builder_;
  dra::SelectorCache selectors_;
  dra::MatchCache matches_;
  dra::JudgeMemory memory_;
  dra::DeviceSets sets_{/*few=*/8};
  std::shared_ptr<const dra::Snapshot> snapshot_;
  int slices_ = 0;
};

// What running pods hold, by node.
inline std::shared_ptr<const dra::NodeUse> Used(dra::NodeUse by_node) {
  return std::make_shared<const dra::NodeUse>(std::move(by_node));
}

inline std::string First(const dra::Judgement& judgement) {
  return judgement.verdict.reasons.empty() ? ""
                                           : verdict::MessageOf(judgement.verdict.reasons.front());
}
inline ReasonCode Code(const dra::Judgement& judgement) {
  REQUIRE_FALSE(judgement.verdict.reasons.empty());
  return judgement.verdict.reasons.front().code;
}

// So many pods of another workload of namespace ml that were dispatched to the worker.
inline dra::AssumedList Assumed(std::shared_ptr<const dra::PodDemand> demand, int count) {
  return std::make_shared<const std::vector<dra::AssumedPods>>(
      1, dra::AssumedPods{"ml", std::move(demand), count});
}

}  // namespace fedra::test
