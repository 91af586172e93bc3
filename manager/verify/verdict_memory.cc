#include "manager/verify/verdict_memory.h"

#include <algorithm>
#include <utility>

namespace fedra::verify {

VerdictMemory::Coming::Coming(const dra::InFlightPods& pods)
    : ns(pods.ns), owner(pods.demand), demand(pods.demand.get()), count(pods.count) {}

// An address alone may have been used again.
bool VerdictMemory::Coming::operator==(const Coming& other) const {
  return demand == other.demand && count == other.count && ns == other.ns &&
         !owner.owner_before(other.owner) && !other.owner.owner_before(owner);
}

std::optional<dra::Verdict> VerdictMemory::Find(const tracking::Demands& demands,
                                                const Basis& basis) const {
  const auto found = entries_.find(demands);
  if (found == entries_.end() || found->second.basis != basis) return std::nullopt;
  return found->second.verdict;
}

void VerdictMemory::Keep(const tracking::Demands& demands, Basis basis, dra::Verdict verdict) {
  if (entries_.size() >= next_sweep_ && !entries_.contains(demands)) Sweep();
  entries_.insert_or_assign(demands, Entry{std::move(basis), std::move(verdict)});
}

void VerdictMemory::Sweep() {
  std::erase_if(entries_, [](const auto& entry) { return entry.first.use_count() == 1; });
  next_sweep_ = std::max(few_, 2 * entries_.size());
}

}  // namespace fedra::verify
