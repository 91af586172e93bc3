#include "dra/judge/request_explainer.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace fedra::dra {

using verdict::Outcome;
using verdict::Reason;
using verdict::ReasonCode;

namespace {

// No API server accepts more.
constexpr size_t kMaxAlternatives = 8;

bool IsNearer(const RequestReport& a, const RequestReport& b) {
  if (a.most_on_one_node != b.most_on_one_node) return a.most_on_one_node > b.most_on_one_node;
  return Matching(a) > Matching(b);
}

}  // namespace

ReasonCode RequestExplainer::CodeOf(const RequestReport& report, int64_t need) const {
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
  const bool by_others = report.allocated + report.assumed + Sum(report.groups) > 0;
  if (by_others && !waiting_.Hopeless(&report)) return ReasonCode::kDevicesAllocated;
  if (!report.taints.empty()) return ReasonCode::kDeviceTainted;
  if (report.capacity > 0) return ReasonCode::kCapacityExhausted;
  return ReasonCode::kNotEnoughDevices;
}

template <class Counts>
void RequestExplainer::AddShortfall(const RequestReport& report, int64_t need,
                                    Counts& facts) const {
  const int there = WithinReach(report);
  if (there == report.free) return;  // nothing is held
  if (Matching(report) >= need) {
    const auto hopeless = waiting_.Hopeless(&report);
    if (!hopeless) return;
    if (need <= there) {
      facts.with_all_free = hopeless;
      return;
    }
  }
  facts.shortfall = verdict::Shortfall{.pods = trace_.pods.demand.count,
                                       .needed = need,
                                       .there = there,
                                       .are_all = there >= Matching(report)};
}

// The devices that all pods take together, as far as that can be told from one request.
int64_t RequestExplainer::Need(const SubRequest& ask, const RequestReport& report,
                               bool shared) const {
  if (report.all) return 1;
  const bool one_per_pod = !shared && !ask.alternative && !ask.admin && !report.shareable;
  const bool sane = report.wanted <= std::numeric_limits<int32_t>::max();
  return one_per_pod && sane ? report.wanted * trace_.pods.demand.count : report.wanted;
}

RequestReport RequestExplainer::ReportOn(const PodVariant& variant, uint32_t ask) const {
  const ResolvedPod& resolved = trace_.resolved;
  MatchCache& matches = context_.caches.matches;
  const auto report = [&] {
    if (placed_.workspace.pools.empty() && resolved.bound.empty() &&
        !resolved.variants.wants_device_resources())
      return context_.memory.ReportOn(trace_.pods.demand.node, variant.pod, ask, context_.snapshot,
                                      matches);
    const auto usable = [&](const Node& node) {
      return PositionOf(node.name, resolved.nodes).has_value();
    };
    return dra::Explain(variant.pod, ask, context_.snapshot, usable, &placed_.workspace, matches);
  };
  RequestReport named = report();
  if (context_.options.jobs != nullptr) NameHolders(context_.options.jobs, named);
  return named;
}

verdict::AlternativeCounts RequestExplainer::CountAlternatives(
    const SubRequest& ask, std::span<const RequestReport> reports) const {
  verdict::AlternativeCounts facts{.request = ask.owner->name.str(),
                                   .claim = reports.front().claim_description,
                                   .alternatives = {},
                                   .all = reports.size()};
  for (const RequestReport& report : reports.first(std::min(reports.size(), kMaxAlternatives)))
    facts.alternatives.push_back(
        {CodeOf(report, Need(ask, report, false)), report.Counts(trace_.pods.ns)});
  return facts;
}

// `reports`: on the request, or on each of its alternatives, the first of which is `ask`.
void RequestExplainer::Refuse(const SubRequest& ask, std::span<const RequestReport> reports,
                              bool shared, Explanation& explanation) const {
  // The alternative that came furthest decides what would help.
  const RequestReport& nearest = *std::min_element(reports.begin(), reports.end(), IsNearer);
  const int64_t need = Need(ask, nearest, shared);
  const ReasonCode code = CodeOf(nearest, need);
  std::string object = "DeviceClass " + nearest.device_class;
  // On every worker in the same words.
  if (code == ReasonCode::kSelectorError && !nearest.compile_error.empty()) {
    return explanation.Add(Outcome::kNo, code, "",
                           verdict::BrokenSelector{.request = nearest.request,
                                                   .claim = nearest.claim_description,
                                                   .error = nearest.compile_error});
  }
  const auto add = [&](auto facts) {
    AddShortfall(nearest, need, facts);
    explanation.Add(Outcome::kNo, code, std::move(object), std::move(facts));
  };
  if (reports.size() > 1) return add(CountAlternatives(ask, reports));
  add(nearest.Counts(trace_.pods.ns));
}

bool RequestExplainer::Explain(const PodVariant& variant, Explanation& explanation) const {
  auto& reports = explanation.requests;
  auto& reasons = explanation.reasons;
  const auto begin = static_cast<ptrdiff_t>(reasons.size());
  for (size_t claim = 0; claim < variant.pod.claims.size(); ++claim) {
    const bool shared =
        std::find(variant.shared.begin(), variant.shared.end(), claim) != variant.shared.end();
    for (const PreparedRequest& request : variant.pod.claims[claim].requests) {
      const size_t first = reports.size();
      for (uint32_t i = 0; i < request.asks; ++i)
        reports.push_back(ReportOn(variant, request.first_ask + i));
      const auto of_request = std::span<const RequestReport>(reports).subspan(first);
      if (std::all_of(of_request.begin(), of_request.end(), IsLacking))
        Refuse(variant.pod.asks[request.first_ask], of_request, shared, explanation);
    }
  }
  // Where nothing matches, no node is nearer than another.
  if (std::none_of(reports.begin(), reports.end(), Matching)) explanation.nearest.clear();
  // What waiting cannot change comes first.
  std::stable_partition(reasons.begin() + begin, reasons.end(), [](const Reason& reason) {
    return reason.code != ReasonCode::kDevicesAllocated;
  });
  return std::ssize(reasons) > begin;
}

}  // namespace fedra::dra
