// Why not all pods fit.

#include <algorithm>

#include "dra/counters.h"
#include "dra/simulation.h"
#include "dra/simulation_run.h"

namespace fedra::dra {
namespace {

// Enough to tell what is in the way, not to prove it.
constexpr AllocatorLimits kRelaxedLimits{.max_steps = 20'000};

int Sum(const std::vector<CountedCause>& causes) {
  int sum = 0;
  for (const CountedCause& cause : causes) sum += cause.devices;
  return sum;
}

// "3 nodeSelector pool=a100, 1 taint gpu=yes:NoSchedule"
std::string Join(const std::map<std::string, int>& counts) {
  std::string text;
  for (const auto& [what, count] : counts)
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + what;
  return text;
}

int Matching(const RequestReport& report) {
  return report.other_node + Sum(report.taints) + report.allocated + report.placed +
         report.capacity + report.free;
}

bool IsLacking(const RequestReport& report) {
  if (report.all) return report.free == 0 || report.free < Matching(report) - report.other_node;
  return report.most_on_one_node < report.wanted;
}

ReasonCode CodeOf(const RequestReport& report) {
  const int matching = Matching(report);
  if (!report.errors.empty()) return ReasonCode::kSelectorError;
  if (matching == 0) {
    if (report.unusable_pool > 0) return ReasonCode::kPoolIncomplete;
    return report.devices == report.other_driver ? ReasonCode::kDriverMissing
                                                 : ReasonCode::kNoMatchingDevice;
  }
  if (matching == report.other_node) return ReasonCode::kNodeMismatch;
  const int64_t wanted = report.all ? 1 : report.wanted;
  if (matching < wanted) return ReasonCode::kNotEnoughDevices;
  if (report.allocated + report.placed > 0) return ReasonCode::kDevicesAllocated;
  if (!report.taints.empty()) return ReasonCode::kDeviceTainted;
  if (report.capacity > 0) return ReasonCode::kCapacityExhausted;
  return ReasonCode::kNotEnoughDevices;
}

// The alternative that came furthest speaks for its request.
bool IsNearer(const RequestReport& a, const RequestReport& b) {
  if (a.most_on_one_node != b.most_on_one_node) return a.most_on_one_node > b.most_on_one_node;
  return Matching(a) > Matching(b);
}

std::string Wish(const RequestReport& report) {
  const std::string wants =
      report.all ? "all devices" : std::to_string(report.wanted) + " on one node";
  return "request " + report.request + " of claim " + report.claim + " wants " + wants +
         " of class " + report.device_class;
}

std::string Describe(const Constraint& constraint) {
  const bool match = !constraint.match_attribute.empty();
  std::string text = match ? "matchAttribute " + constraint.match_attribute.str()
                           : "distinctAttribute " + constraint.distinct_attribute.str();
  std::string names;
  for (const Text& name : constraint.requests) names += (names.empty() ? "" : ", ") + name.str();
  return text + (names.empty() ? " over all requests" : " over requests " + names);
}

}  // namespace

void Simulation::ExplainNodes(Run& run) {
  const size_t all = snapshot_.nodes().size();
  Add(run, Outcome::kNo, ReasonCode::kNodeMismatch, "",
      "0 of " + std::to_string(all) + " nodes can take the pod" +
          (run.refused.empty() ? "" : ": " + Join(run.refused)));
}

RequestReport Simulation::ReportOn(Run& run, const Variant& variant, uint32_t ask) {
  if (workspace_.pools.empty() && run.bound.empty() && !run.wants_device_resources)
    return memory_.ReportOn(run.demand.node, variant.pod, ask, snapshot_, caches_.matches);
  const auto usable = [&](const Node& node) { return Usable(run, node.name); };
  return Explain(variant.pod, ask, snapshot_, usable, &workspace_, caches_.matches);
}

bool Simulation::ExplainRequests(Run& run, const Variant& variant) {
  bool lacking = false;
  for (const PreparedClaim& claim : variant.pod.claims) {
    for (const PreparedRequest& request : claim.requests) {
      bool possible = false;
      const size_t first = run.result.report.requests.size();
      for (uint32_t i = 0; i < request.asks; ++i) {
        run.result.report.requests.push_back(ReportOn(run, variant, request.first_ask + i));
        possible = possible || !IsLacking(run.result.report.requests.back());
      }
      if (possible) continue;
      lacking = true;
      const auto& reports = run.result.report.requests;
      const auto nearest = std::min_element(reports.begin() + static_cast<ptrdiff_t>(first),
                                            reports.end(), IsNearer);
      Add(run, Outcome::kNo, CodeOf(*nearest), "DeviceClass " + nearest->device_class,
          Wish(*nearest) + ": " + nearest->ToString());
    }
  }
  return lacking;
}

bool Simulation::FitsWith(const Node& node, const Variant& variant, const Relaxation& relaxation) {
  const NodeAllocation found =
      Allocate(variant.pod, ViewOf(snapshot_, node), &workspace_, caches_.matches,
               snapshot_.features(), kRelaxedLimits, relaxation);
  return found.fit == Fit::kFit;
}

// For every free device that suits some request: the first counter that is too small for it.
std::string Simulation::CounterShortage(const Node& node, const Variant& variant) {
  const NodeView view = ViewOf(snapshot_, node);
  CounterLedger ledger(view, &workspace_, snapshot_.features().counters_by_pool_name);
  std::map<std::string, int> shortages;
  for (uint32_t p = 0; p < view.pools.size(); ++p) {
    const PoolView& pool = *view.pools[p];
    for (uint32_t d = 0; d < pool.devices.size(); ++d) {
      const ViewDevice& device = pool.devices[d];
      const bool suits =
          std::any_of(variant.pod.asks.begin(), variant.pod.asks.end(), [&](const Ask& ask) {
            return caches_.matches.Match(ask.match, *device.slice)[device.index] == kMatches;
          });
      if (!suits || (device.use && device.use->dedicated)) continue;
      for (const Consumption& consumption : pool.ConsumptionOf(d)) {
        const Quantity left = ledger.Left(p, consumption.counter);
        if (left >= *consumption.amount) continue;
        const ViewCounter& counter = pool.counters[consumption.counter];
        ++shortages["need " + consumption.amount->ToString() + " of " + counter.set.str() + "/" +
                    counter.name.str() + " (" + left.ToString() + " left)"];
        break;
      }
    }
  }
  return Join(shortages);
}

// Every request could be satisfied alone: drop one rule after the other and see what then fits.
void Simulation::ExplainTogether(Run& run, const Node& node, Variant& variant) {
  const std::string where = " on node " + node.name.str();
  std::string& obstacle = run.result.report.obstacle;
  for (const PreparedClaim& claim : variant.pod.claims) {
    for (size_t i = 0; i < std::min(claim.spec->constraints.size(), kMaxConstraints); ++i) {
      if (!FitsWith(node, variant, {.constraints = uint64_t{1} << i})) continue;
      obstacle = "constraint " + Describe(claim.spec->constraints[i]) + " cannot hold" + where;
      return Add(run, Outcome::kNo, ReasonCode::kConstraintUnsatisfied, claim.key.ToString(),
                 obstacle);
    }
  }
  if (FitsWith(node, variant, {.constraints = ~uint64_t{0}})) {
    obstacle = "the constraints of the claims cannot hold together" + where;
    return Add(run, Outcome::kNo, ReasonCode::kConstraintUnsatisfied, "", obstacle);
  }
  if (FitsWith(node, variant, {.counters = true})) {
    obstacle = "shared counters are used up" + where + ": " + CounterShortage(node, variant);
    return Add(run, Outcome::kNo, ReasonCode::kCountersExhausted, "Node " + node.name.str(),
               obstacle);
  }
  if (FitsWith(node, variant, {.taints = true})) {
    obstacle = "untolerated device taints" + where;
    return Add(run, Outcome::kNo, ReasonCode::kDeviceTainted, "Node " + node.name.str(), obstacle);
  }
  if (FitsWith(node, variant, {.capacity = true})) {
    obstacle = "not enough device capacity is left" + where;
    return Add(run, Outcome::kNo, ReasonCode::kCapacityExhausted, "Node " + node.name.str(),
               obstacle);
  }
  const bool in_use = FitsWith(node, variant, {.counters = true, .in_use = true});
  obstacle = in_use
                 ? "too many devices are allocated" + where
                 : "no single node has devices for all requests; the nearest is " + node.name.str();
  Add(run, Outcome::kNo, in_use ? ReasonCode::kDevicesAllocated : ReasonCode::kNotEnoughDevices,
      "Node " + node.name.str(), obstacle);
}

// All devices of a node cannot be told while some pool of it is incomplete: no selector is to
// blame.
ReasonCode Simulation::ErrorCodeOn(Run& run, const Node& node) {
  const std::vector<Ask>& asks = VariantFor(run, node).pod.asks;
  const NodeView view = ViewOf(snapshot_, node);
  const bool all = std::any_of(asks.begin(), asks.end(), [](const Ask& ask) { return ask.all; });
  const bool ready = std::all_of(view.pools.begin(), view.pools.end(), [](const auto& pool) {
    return pool->status == PoolStatus::kReady;
  });
  return all && !ready ? ReasonCode::kPoolIncomplete : ReasonCode::kSelectorError;
}

void Simulation::ExplainShortage(Run& run) {
  PodSetReport& report = run.result.report;
  if (report.fitting >= options_.max_pods) {
    return Add(run, Outcome::kUnknown, ReasonCode::kBudgetExceeded, "pod set " + report.name,
               std::to_string(report.fitting) + " of " + std::to_string(report.wanted) +
                   " pods fit; the others were not looked at");
  }
  if (report.fitting > 0) {
    Add(run, Outcome::kNo, ReasonCode::kPodsDoNotFit, "pod set " + report.name,
        std::to_string(report.fitting) + " of " + std::to_string(report.wanted) + " pods fit");
  }
  if (run.error_node != nullptr) {
    const std::string node = run.error_node->name.str();
    report.aborted = true;
    return Add(run, Outcome::kNo, ErrorCodeOn(run, *run.error_node), "Node " + node,
               "the scheduler ends with an error on node " + node + ": " + run.error);
  }
  if (run.unbindable > 0) {
    report.aborted = report.fitting == 0;
    Add(run, Outcome::kNo, ReasonCode::kNodeMismatch, "",
        std::to_string(run.unbindable) + " of " + std::to_string(snapshot_.nodes().size()) +
            " nodes have the pod's extended resources from a device plugin; kube-scheduler cannot "
            "bind a pod there that has claims as well");
  }
  if (run.nodes.empty()) return ExplainNodes(run);
  if (run.nearest != nullptr) {
    report.nearest = run.nearest->name.str();
    Variant& variant = VariantFor(run, *run.nearest);
    if (!ExplainRequests(run, variant)) ExplainTogether(run, *run.nearest, variant);
  }
  if (!run.no_room.empty()) {
    Add(run, Outcome::kNo, ReasonCode::kNodeResources, "",
        std::to_string(run.nodes.size()) +
            " nodes could take the pod, without room: " + Join(run.no_room));
  }
  if (run.budget) {
    Add(run, Outcome::kUnknown, ReasonCode::kBudgetExceeded, "",
        "the search for devices was ended after " + std::to_string(options_.limits.max_steps) +
            " steps");
    run.result.outcome = Outcome::kUnknown;
  }
}

}  // namespace fedra::dra
