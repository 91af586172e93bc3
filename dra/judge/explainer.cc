#include "dra/judge/explainer.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "dra/judge/explain_errors.h"
#include "dra/judge/free_counts.h"
#include "dra/judge/joint_explainer.h"
#include "dra/judge/request_explainer.h"
#include "dra/judge/room_explainer.h"
#include "dra/judge/shortage.h"

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

// " (nodes a, b, c and 2 more)"; empty: there are none.
std::string Named(const Snapshot& snapshot) {
  constexpr size_t kMostNamed = 3;
  std::set<std::string> first;
  snapshot.nodes().ForEach([&](const Text& name, const auto&) {
    first.insert(name.str());
    if (first.size() > kMostNamed) first.erase(std::prev(first.end()));
  });
  if (first.empty()) return {};
  std::string names;
  for (const std::string& name : first) names += (names.empty() ? "" : ", ") + name;
  const size_t more = snapshot.nodes().size() - first.size();
  if (more > 0) names += " and " + std::to_string(more) + " more";
  return (snapshot.nodes().size() == 1 ? " (node " : " (nodes ") + names + ")";
}

}  // namespace

// What was found so far proves nothing about the rest.
void Explainer::ExplainBudget(Explanation& explanation) const {
  const PodSetReport& report = trace_.report;
  const Node* unfinished = trace_.errors.unfinished;
  const std::string where = unfinished == nullptr ? "" : " on node " + unfinished->name.str();
  explanation.Add(Outcome::kUnknown, ReasonCode::kBudgetExceeded, "pod set " + report.name,
                  "the search for devices was given up" + where + " after " +
                      std::to_string(context_.cost.steps) + " steps (at most " +
                      std::to_string(context_.options.limits.max_steps) +
                      " for all pods and nodes together): " + std::to_string(report.fitting) +
                      " of " + std::to_string(report.wanted) + " pods had found their devices");
}

void Explainer::ExplainFullClaim(Explanation& explanation) const {
  const ObjectKey& key = *trace_.full_claim;
  const std::string object = "ResourceClaim " + key.ToString();
  const auto here = placed_.consumers.find(key);
  const size_t placed = here == placed_.consumers.end() ? 0 : here->second;
  const size_t before = ConsumersOf(key, placed_, context_.snapshot) - placed;
  const std::string most = std::to_string(kMaxConsumers);
  explanation.Add(
      Outcome::kNo, ReasonCode::kCapacityExhausted, object,
      object + (placed == 0   ? " has " + most + " consumers already"
                : before == 0 ? " can have no more than " + most + " consumers"
                              : " can have no more than " + most + " consumers, and has " +
                                    std::to_string(before) + " of them already"));
}

void Explainer::ExplainUnbindable(Explanation& explanation) const {
  if (trace_.unbindable_claim) {
    const std::string object = "ResourceClaim " + trace_.unbindable_claim->ToString();
    explanation.aborted = true;
    explanation.Add(Outcome::kNo, ReasonCode::kClaimMissing, object,
                    object +
                        " takes no more pods: its allocation lacks allocationTimestamp, which "
                        "kube-scheduler then tries to add and the API server refuses as immutable; "
                        "delete the claim and create it again");
  }
  if (trace_.full_claim) ExplainFullClaim(explanation);
  if (trace_.found.unbindable > 0) {
    explanation.aborted = trace_.report.fitting == 0;
    explanation.Add(
        Outcome::kNo, ReasonCode::kNodeMismatch, "",
        std::to_string(trace_.found.unbindable) + " of " +
            std::to_string(context_.snapshot.nodes().size()) +
            " nodes have the pod's extended resources from a device plugin; kube-scheduler cannot "
            "bind a pod there that has claims as well");
  }
}

// What the node that came closest has too little of.
void Explainer::ExplainNearest(Explanation& explanation) const {
  const Node& node = *trace_.nearest.node;
  explanation.nearest = node.name.str();
  const PodVariant& variant = trace_.resolved.variants.For(node);
  if (!RequestExplainer(context_, trace_, placed_, waiting_).Explain(variant, explanation))
    JointExplainer(context_, trace_, placed_, node, variant).Explain(waiting_, explanation);
}

void Explainer::ExplainShortage(Explanation& explanation) const {
  const PodSetReport& report = trace_.report;
  const std::string object = "pod set " + report.name;
  if (report.fitting >= context_.options.max_pods) {
    return explanation.Add(Outcome::kUnknown, ReasonCode::kBudgetExceeded, object,
                           HowManyFit(report) + "; the others were not tried");
  }
  if (trace_.errors.error) return ExplainError(trace_, context_.snapshot, explanation);
  if (context_.BudgetIsSpent()) return ExplainBudget(explanation);
  if (report.fitting > 0)
    explanation.Add(Outcome::kNo, ReasonCode::kPodsDoNotFit, object, HowManyFit(report));
  ExplainUnbindable(explanation);
  if (trace_.unbindable_claim || trace_.full_claim) return;
  if (!trace_.found.refused.empty()) {
    explanation.Add(Outcome::kNo, ReasonCode::kNodeMismatch, "",
                    "nodes cannot take the pod with its devices: " + Join(trace_.found.refused));
  }
  if (trace_.resolved.nodes.empty()) {
    const auto& refused = trace_.resolved.refused;
    return explanation.Add(
        Outcome::kNo, ReasonCode::kNodeMismatch, "",
        "0/" + std::to_string(context_.snapshot.nodes().size()) + " nodes can run the pod" +
            (refused.empty() ? "" : ": " + Join(refused)) + Named(context_.snapshot));
  }
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
    ExplainSlowSearch(trace_, explanation);
  else if (trace_.errors.given_up != nullptr)
    ExplainGivenUp(trace_, explanation);
  else
    explanation.headroom = CountHeadroom(context_, trace_.resolved, demand, placed_);
  if (trace_.errors.ahead) ExplainErrorAhead(trace_, context_.snapshot, explanation);
  return explanation;
}

}  // namespace fedra::dra
