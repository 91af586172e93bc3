#include "dra/judge/explainer.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "dra/judge/explain_errors.h"
#include "dra/judge/explain_release.h"
#include "dra/judge/free_counts.h"
#include "dra/judge/joint_explainer.h"
#include "dra/judge/request_explainer.h"
#include "dra/judge/room_explainer.h"

namespace fedra::dra {

using verdict::Outcome;
using verdict::Reason;
using verdict::ReasonCode;

namespace {

bool WaitsForDevices(const std::vector<Reason>& reasons) {
  return std::any_of(reasons.begin(), reasons.end(), [](const Reason& reason) {
    return reason.code == ReasonCode::kDevicesAllocated;
  });
}

// The first by name.
std::vector<std::string> FirstNodes(const Snapshot& snapshot) {
  constexpr size_t kMostNamed = 3;
  std::set<std::string> first;
  snapshot.nodes().ForEach([&](const Symbol& name, const auto&) {
    first.insert(name.str());
    if (first.size() > kMostNamed) first.erase(std::prev(first.end()));
  });
  return {first.begin(), first.end()};
}

verdict::NodeCounts CountNodes(const Snapshot& snapshot,
                               const std::map<verdict::NodeRefusal, int>& refused) {
  verdict::NodeCounts counts{.nodes = static_cast<int>(snapshot.nodes().size()),
                             .refused = {},
                             .first = FirstNodes(snapshot)};
  for (const auto& [refusal, nodes] : refused) counts.refused.push_back({refusal, nodes});
  return counts;
}

}  // namespace

// What was found so far proves nothing about the rest.
void Explainer::ExplainBudget(Explanation& explanation) const {
  const PodSetReport& report = trace_.report;
  const Node* unfinished = trace_.errors.unfinished;
  explanation.Add(Outcome::kUnknown, ReasonCode::kBudgetExceeded, "pod set " + report.name,
                  verdict::SearchLimit{.kind = verdict::SearchLimit::Kind::kSpent,
                                       .where = unfinished ? unfinished->name.str() : "",
                                       .steps = context_.cost.steps,
                                       .most = context_.options.limits.max_steps,
                                       .fitting = report.fitting,
                                       .wanted = report.wanted});
}

void Explainer::ExplainFullClaim(Explanation& explanation) const {
  const ObjectKey& key = *trace_.full_claim;
  const std::string object = "ResourceClaim " + key.ToString();
  const auto here = placed_.consumers.find(key);
  const size_t placed = here == placed_.consumers.end() ? 0 : here->second;
  const size_t before = ConsumersOf(key, placed_, context_.snapshot) - placed;
  explanation.Add(Outcome::kNo, ReasonCode::kCapacityExhausted, object,
                  verdict::FullClaim{
                      .claim = object, .most = kMaxConsumers, .before = before, .placed = placed});
}

void Explainer::ExplainUnbindable(Explanation& explanation) const {
  if (trace_.unbindable_claim) {
    const std::string object = "ResourceClaim " + trace_.unbindable_claim->ToString();
    explanation.aborted = true;
    explanation.Add(Outcome::kNo, ReasonCode::kClaimMissing, object,
                    verdict::Unbindable{.claim = object});
  }
  if (trace_.full_claim) ExplainFullClaim(explanation);
  if (trace_.found.unbindable > 0) {
    explanation.aborted = trace_.report.fitting == 0;
    explanation.Add(Outcome::kNo, ReasonCode::kNodeMismatch, "",
                    verdict::Unbindable{.nodes = trace_.found.unbindable,
                                        .of = static_cast<int>(context_.snapshot.nodes().size())});
  }
}

// What the node that came closest has too little of.
void Explainer::ExplainNearest(Explanation& explanation) const {
  const Node& node = *trace_.nearest.node;
  if (context_.snapshot.nodes().size() > 1) explanation.nearest = node.name.str();
  const PodVariant& variant = trace_.resolved.variants.For(node);
  if (!RequestExplainer(context_, trace_, placed_, waiting_).Explain(variant, explanation))
    JointExplainer(context_, trace_, placed_, node, variant).Explain(waiting_, explanation);
}

void Explainer::ExplainShortage(Explanation& explanation) const {
  const PodSetReport& report = trace_.report;
  const std::string object = "pod set " + report.name;
  if (report.fitting >= context_.options.max_pods) {
    return explanation.Add(
        Outcome::kUnknown, ReasonCode::kBudgetExceeded, object,
        verdict::PodsFit{
            .fitting = report.fitting, .wanted = report.wanted, .others_untried = true});
  }
  if (trace_.errors.error) return ExplainError(trace_, context_.snapshot, explanation);
  if (context_.BudgetIsSpent()) return ExplainBudget(explanation);
  if (report.fitting > 0)
    explanation.Add(Outcome::kNo, ReasonCode::kPodsDoNotFit, object, HowManyFit(report));
  ExplainUnbindable(explanation);
  if (trace_.unbindable_claim || trace_.full_claim) return;
  if (!trace_.found.refused.empty()) {
    verdict::NodeCounts counts = CountNodes(context_.snapshot, trace_.found.refused);
    counts.with_devices = true;
    counts.first.clear();
    explanation.Add(Outcome::kNo, ReasonCode::kNodeMismatch, "", std::move(counts));
  }
  if (trace_.resolved.nodes.empty())
    return explanation.Add(Outcome::kNo, ReasonCode::kNodeMismatch, "",
                           CountNodes(context_.snapshot, trace_.resolved.refused));
  std::vector<Reason>& reasons = explanation.reasons;
  const RoomExplainer room(context_, trace_, placed_, waiting_);
  const auto begin = static_cast<ptrdiff_t>(reasons.size());
  const RoomAnswer answer = room.Explain(explanation);
  const auto devices = static_cast<ptrdiff_t>(reasons.size());
  if (trace_.nearest.node != nullptr) ExplainNearest(explanation);
  // Nodes with room and without devices do not matter to a job that gets both elsewhere.
  if (answer == RoomAnswer::kAll) reasons.resize(static_cast<size_t>(devices));
  // Nodes with too few devices have not been checked for room yet.
  if (devices == begin && WaitsForDevices(reasons) && room.ExplainTooSmall(explanation)) {
    std::rotate(reasons.begin() + begin, reasons.end() - 1, reasons.end());
  } else if (answer == RoomAnswer::kNothing) {
    // First what would help: more room where the devices are, or else devices.
    std::rotate(reasons.begin() + begin, reasons.begin() + devices, reasons.end());
  }
}

Explanation Explainer::Explain() const {
  Explanation explanation;
  const PodDemand& demand = trace_.pods.demand;
  if (trace_.report.fitting < demand.count)
    ExplainShortage(explanation);
  else if (trace_.errors.slowest != nullptr)
    ExplainSlowSearch(trace_, context_.features(), explanation);
  else if (trace_.errors.given_up != nullptr)
    ExplainGivenUp(trace_, explanation);
  if (trace_.errors.ahead) ExplainErrorAhead(trace_, context_.snapshot, explanation);
  ExplainRelease(context_, trace_, explanation);
  return explanation;
}

}  // namespace fedra::dra
