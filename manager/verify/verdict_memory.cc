#include "manager/verify/verdict_memory.h"

#include <algorithm>
#include <utility>

namespace fedra::verify {

namespace {

// An address alone may have been used again.
bool AreSame(const std::weak_ptr<const void>& a, const std::weak_ptr<const void>& b) {
  return !a.owner_before(b) && !b.owner_before(a);
}

}  // namespace

bool VerdictMemory::Assumed::operator==(const Assumed& other) const {
  return AreSame(list, other.list);
}

bool VerdictMemory::AssumedObjects::operator==(const AssumedObjects& other) const {
  if (objects == other.objects) return true;
  return objects != nullptr && other.objects != nullptr &&
         std::equal(objects->begin(), objects->end(), other.objects->begin(), other.objects->end(),
                    AreSame);
}

std::optional<verdict::Verdict> VerdictMemory::Find(const tracking::Demands& demands,
                                                    const Basis& basis) const {
  const auto found = entries_.find(demands);
  if (found == entries_.end() || found->second.basis != basis) return std::nullopt;
  return found->second.verdict;
}

void VerdictMemory::Keep(const tracking::Demands& demands, Basis basis, verdict::Verdict verdict) {
  if (entries_.size() >= next_sweep_ && !entries_.contains(demands)) Sweep();
  entries_.insert_or_assign(demands, Entry{std::move(basis), std::move(verdict)});
}

void VerdictMemory::Sweep() {
  std::erase_if(entries_, [](const auto& entry) { return entry.first.use_count() == 1; });
  next_sweep_ = std::max(few_, 2 * entries_.size());
}

}  // namespace fedra::verify
