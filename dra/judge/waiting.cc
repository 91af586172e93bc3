#include "dra/judge/waiting.h"

#include <algorithm>

namespace fedra::dra {

using verdict::CountedCause;
using verdict::Outcome;

namespace {

bool Lacks(const PodSetReport& report) { return report.fitting < report.wanted && !report.aborted; }

// With every device free: whether what `request` (null: all requests together) asks for is short.
// What another request lacks is that one's fault.
bool IsShort(const PodSetReport& free, const RequestReport* request) {
  if (!free.no_room && (request == nullptr || free.obstacle)) return true;
  return request != nullptr &&
         std::any_of(free.requests.begin(), free.requests.end(), [&](const RequestReport& each) {
           return each.claim_description == request->claim_description &&
                  each.request == request->request && IsLacking(each);
         });
}

// Whether another pod set of the job ran out of the devices that `request` asks for.
bool IsShortElsewhere(const PodSetReport& free, const RequestReport* request) {
  return std::any_of(free.requests.begin(), free.requests.end(), [&](const RequestReport& each) {
    const bool same = request == nullptr || each.device_class == request->device_class;
    return same && each.placed > 0 && IsLacking(each);
  });
}

}  // namespace

int Sum(const std::vector<CountedCause>& causes) {
  int sum = 0;
  for (const CountedCause& cause : causes) sum += cause.devices;
  return sum;
}

int WithinReach(const RequestReport& report) {
  return report.allocated + report.assumed + report.placed + Sum(report.groups) + report.capacity +
         report.free;
}

int Matching(const RequestReport& report) {
  return report.other_node + Sum(report.taints) + WithinReach(report);
}

bool IsLacking(const RequestReport& report) {
  if (report.all) return report.free == 0 || report.free < Matching(report) - report.other_node;
  return report.most_on_one_node < report.wanted;
}

bool Waiting::IsEnough() const {
  if (ask_ == nullptr) return false;
  const PodSetReport& there = (*ask_)().pod_sets[pod_set_];
  return there.fitting >= there.wanted;
}

const verdict::Reason* Waiting::TooSmall() const {
  if (ask_ == nullptr) return nullptr;
  const Judgement& free = (*ask_)();
  const PodSetReport& there = free.pod_sets[pod_set_];
  const bool refused = free.verdict.outcome == Outcome::kNo && Lacks(there);
  return refused && there.no_room ? &*there.no_room : nullptr;
}

std::optional<verdict::WithAllFree> Waiting::Hopeless(const RequestReport* request) const {
  if (ask_ == nullptr) return std::nullopt;
  const Judgement& free = (*ask_)();
  if (free.verdict.outcome != Outcome::kNo) return std::nullopt;
  bool is_short = false;
  for (size_t i = 0; i < free.pod_sets.size(); ++i) {
    const PodSetReport& there = free.pod_sets[i];
    if (!Lacks(there)) continue;
    is_short =
        is_short || (i == pod_set_ ? IsShort(there, request) : IsShortElsewhere(there, request));
  }
  if (!is_short) return std::nullopt;
  return verdict::WithAllFree{.fitting = free.verdict.pods_fitting,
                              .wanted = free.verdict.pods_wanted};
}

}  // namespace fedra::dra
