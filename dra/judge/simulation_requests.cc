// Which request of a pod cannot be satisfied, and whether waiting could change that.

#include <algorithm>
#include <limits>
#include <span>

#include "base/text.h"
#include "dra/judge/simulation.h"
#include "dra/judge/simulation_run.h"

namespace fedra::dra {
namespace {

// No API server accepts more.
constexpr size_t kMaxAlternatives = 8;
// Of each alternative; PodSetReport::requests has them in full.
constexpr size_t kMaxCountsShown = 300;

int Sum(const std::vector<CountedCause>& causes) {
  int sum = 0;
  for (const CountedCause& cause : causes) sum += cause.devices;
  return sum;
}

// Untainted, on nodes that the pod can use.
int WithinReach(const RequestReport& report) {
  return report.allocated + report.in_flight + report.placed + report.capacity + report.free;
}

int Matching(const RequestReport& report) {
  return report.other_node + Sum(report.taints) + WithinReach(report);
}

bool IsLacking(const RequestReport& report) {
  if (report.all) return report.free == 0 || report.free < Matching(report) - report.other_node;
  return report.most_on_one_node < report.wanted;
}

bool IsNearer(const RequestReport& a, const RequestReport& b) {
  if (a.most_on_one_node != b.most_on_one_node) return a.most_on_one_node > b.most_on_one_node;
  return Matching(a) > Matching(b);
}

// "2 on one node of class gpu"
std::string Wish(const RequestReport& report) {
  const std::string wants =
      report.all ? "all devices" : std::to_string(report.wanted) + " on one node";
  return wants + " of class " + report.device_class;
}

std::string Counted(int64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

bool Lacks(const PodSetReport& report) { return report.fitting < report.wanted && !report.aborted; }

// With every device free: whether what `wish` (null: all requests together) asks for is short. What
// another request lacks is that one's fault.
bool IsShort(const PodSetReport& free, const RequestReport* wish) {
  if (wish == nullptr || !free.obstacle.empty()) return true;
  return std::any_of(free.requests.begin(), free.requests.end(), [&](const RequestReport& request) {
    return request.claim_words == wish->claim_words && request.request == wish->request &&
           IsLacking(request);
  });
}

// Whether another pod set of the job ran out of the devices that `wish` asks for.
bool IsShortElsewhere(const PodSetReport& free, const RequestReport* wish) {
  return std::any_of(free.requests.begin(), free.requests.end(), [&](const RequestReport& request) {
    const bool same = wish == nullptr || request.device_class == wish->device_class;
    return same && request.placed > 0 && IsLacking(request);
  });
}

}  // namespace

std::optional<std::string> Simulation::Hopeless(const Run& run, const RequestReport* wish) const {
  if (free_cluster_ == nullptr) return std::nullopt;
  const Judgement& free = (*free_cluster_)();
  if (free.verdict.outcome != Outcome::kNo) return std::nullopt;
  bool is_short = false;
  for (size_t i = 0; i < free.pod_sets.size(); ++i) {
    const PodSetReport& there = free.pod_sets[i];
    if (!Lacks(there)) continue;
    is_short =
        is_short || (i == run.pod_set ? IsShort(there, wish) : IsShortElsewhere(there, wish));
  }
  if (!is_short) return std::nullopt;
  return "even with every device free only " + std::to_string(free.verdict.pods_fitting) + " of " +
         Counted(free.verdict.pods_wanted, "pod") + " would fit";
}

ReasonCode Simulation::CodeOf(const Run& run, const RequestReport& report, int64_t need) const {
  const int matching = Matching(report);
  // On devices that the scheduler has not come to, or it would have ended with the error.
  const int failing = Sum(report.errors);
  if (failing > 0 && (matching == 0 || (matching < need && need <= matching + failing)))
    return ReasonCode::kSelectorError;
  if (matching == 0) {
    if (report.unusable_pool > 0) return ReasonCode::kPoolIncomplete;
    return report.devices == report.other_driver ? ReasonCode::kDriverMissing
                                                 : ReasonCode::kNoMatchingDevice;
  }
  if (matching == report.other_node) return ReasonCode::kNodeMismatch;
  if (matching < need) return ReasonCode::kNotEnoughDevices;
  const bool by_others = report.allocated + report.in_flight > 0;
  if (by_others && !Hopeless(run, &report)) return ReasonCode::kDevicesAllocated;
  if (!report.taints.empty()) return ReasonCode::kDeviceTainted;
  if (report.capacity > 0) return ReasonCode::kCapacityExhausted;
  return ReasonCode::kNotEnoughDevices;
}

// What waiting will not bring; empty: nothing is known of that, or nothing is held.
std::string Simulation::Shortfall(const Run& run, const RequestReport& report, int64_t need) const {
  const int there = WithinReach(report);
  if (there == report.free) return {};
  const auto hopeless =
      Matching(report) < need ? std::optional<std::string>("") : Hopeless(run, &report);
  if (!hopeless) return {};
  if (need <= there) return *hopeless;
  return Counted(run.demand.count, "pod") + (run.demand.count == 1 ? " needs " : " need ") +
         Counted(need, "device") + ", only " + std::to_string(there) +
         (there == 1 ? " is " : " are ") +
         (there < Matching(report) ? "within their reach" : "there in all");
}

// The devices that all pods take together, as far as that can be told from one request.
int64_t Simulation::Need(const Run& run, const Ask& ask, const RequestReport& report, bool shared) {
  if (report.all) return 1;
  const bool one_per_pod = !shared && !ask.alternative && !ask.admin && !report.shareable;
  const bool sane = report.wanted <= std::numeric_limits<int32_t>::max();
  return one_per_pod && sane ? report.wanted * run.demand.count : report.wanted;
}

RequestReport Simulation::ReportOn(Run& run, const Variant& variant, uint32_t ask) {
  if (workspace_.pools.empty() && run.bound.empty() && !run.wants_device_resources)
    return memory_.ReportOn(run.demand.node, variant.pod, ask, snapshot_, caches_.matches);
  const auto usable = [&](const Node& node) { return PositionOf(run, node.name).has_value(); };
  return Explain(variant.pod, ask, snapshot_, usable, &workspace_, caches_.matches);
}

// "request gpu of claim gpu (template any) fits in none of 2 alternatives: large: 1 on one node of
// class h100 (DriverMissing; 2 devices: 2 other driver), small: ..."
std::string Simulation::DescribeAlternatives(const Run& run, const Ask& ask,
                                             std::span<const RequestReport> reports) const {
  std::string text = "request " + ask.owner->name.str() + " of " + reports.front().claim_words +
                     " fits in none of " + std::to_string(reports.size()) + " alternatives";
  const char* separator = ": ";
  for (const RequestReport& report : reports.first(std::min(reports.size(), kMaxAlternatives))) {
    const std::string name = report.request.substr(report.request.find('/') + 1);
    const ReasonCode code = CodeOf(run, report, Need(run, ask, report, false));
    text += separator + name + ": " + Wish(report) + " (" + std::string(ToString(code)) + "; " +
            Cut(report.ToString(), kMaxCountsShown) + ")";
    separator = ", ";
  }
  return text + (reports.size() > kMaxAlternatives ? ", ..." : "");
}

// `reports`: on the request, or on each of its alternatives, the first of which is `ask`.
void Simulation::Refuse(Run& run, const Ask& ask, std::span<const RequestReport> reports,
                        bool shared) {
  // The alternative that came furthest decides what would help.
  const RequestReport& nearest = *std::min_element(reports.begin(), reports.end(), IsNearer);
  const int64_t need = Need(run, ask, nearest, shared);
  const std::string shortfall = Shortfall(run, nearest, need);
  const std::string behind = shortfall.empty() ? "" : "; " + shortfall;
  std::string message = reports.size() > 1 ? DescribeAlternatives(run, ask, reports) + behind
                                           : nearest.Subject() + " wants " + Wish(nearest) +
                                                 behind + ": " + nearest.ToString();
  Add(run, Outcome::kNo, CodeOf(run, nearest, need), "DeviceClass " + nearest.device_class,
      std::move(message));
}

bool Simulation::ExplainRequests(Run& run, const Variant& variant) {
  const auto begin = static_cast<ptrdiff_t>(run.result.reasons.size());
  for (size_t claim = 0; claim < variant.pod.claims.size(); ++claim) {
    const bool shared =
        std::find(variant.shared.begin(), variant.shared.end(), claim) != variant.shared.end();
    for (const PreparedRequest& request : variant.pod.claims[claim].requests) {
      auto& reports = run.result.report.requests;
      const size_t first = reports.size();
      for (uint32_t i = 0; i < request.asks; ++i)
        reports.push_back(ReportOn(run, variant, request.first_ask + i));
      const auto of_request = std::span<const RequestReport>(reports).subspan(first);
      if (std::all_of(of_request.begin(), of_request.end(), IsLacking))
        Refuse(run, variant.pod.asks[request.first_ask], of_request, shared);
    }
  }
  const auto& reports = run.result.report.requests;
  // Where nothing matches, no node is nearer than another.
  if (std::none_of(reports.begin(), reports.end(), Matching)) run.result.report.nearest.clear();
  // What waiting cannot change comes first.
  auto& reasons = run.result.reasons;
  std::stable_partition(reasons.begin() + begin, reasons.end(), [](const Reason& reason) {
    return reason.code != ReasonCode::kDevicesAllocated;
  });
  return std::ssize(reasons) > begin;
}

}  // namespace fedra::dra
