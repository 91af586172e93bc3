#include "manager/reconcile/templates/copy_failures.h"

#include <utility>

namespace fedra::reconcile {

void CopyFailures::Record(const ClusterName& worker, const ObjectKey& key, CopyFailure failure) {
  failures_.With([&](Failures& all) { all[worker].insert_or_assign(key, std::move(failure)); });
}

void CopyFailures::Clear(const ClusterName& worker, const ObjectKey& key) {
  failures_.With([&](Failures& all) {
    const auto found = all.find(worker);
    if (found != all.end()) found->second.erase(key);
  });
}

void CopyFailures::Forget(const ClusterName& worker) {
  failures_.With([&](Failures& all) { all.erase(worker); });
}

std::vector<ObjectKey> CopyFailures::TakeOutdated(const ClusterName& worker) {
  return failures_.With([&](Failures& all) {
    std::vector<ObjectKey> keys;
    const auto found = all.find(worker);
    if (found == all.end()) return keys;
    for (auto& [key, failure] : found->second) {
      failure.next = SteadyTime::min();
      keys.push_back(key);
    }
    return keys;
  });
}

std::optional<CopyFailure> CopyFailures::Find(const ClusterName& worker,
                                              const ObjectKey& key) const {
  return failures_.With([&](const Failures& all) -> std::optional<CopyFailure> {
    const auto found = all.find(worker);
    if (found == all.end()) return std::nullopt;
    const auto failure = found->second.find(key);
    if (failure == found->second.end()) return std::nullopt;
    return failure->second;
  });
}

std::map<std::string, verdict::Reason> CopyFailures::On(const ClusterName& worker,
                                                        const std::string& ns) const {
  return failures_.With([&](const Failures& all) {
    std::map<std::string, verdict::Reason> reasons;
    const auto found = all.find(worker);
    if (found == all.end()) return reasons;
    for (auto at = found->second.lower_bound({ns, ""});
         at != found->second.end() && at->first.ns == ns; ++at)
      reasons.emplace(at->first.name, at->second.reason);
    return reasons;
  });
}

}  // namespace fedra::reconcile
