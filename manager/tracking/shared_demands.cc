#include "manager/tracking/shared_demands.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>

#include "base/guarded.h"
#include "base/hash.h"

namespace fedra::tracking {
namespace {

// When the table has doubled, those that no workload has any more are removed.
constexpr size_t kFew = 1024;

struct Shared {
  std::string ns;
  std::weak_ptr<const std::vector<dra::PodDemand>> demands;
};

struct Table {
  std::unordered_multimap<uint64_t, Shared> all;
  size_t next_sweep = kFew;
};

Guarded<Table>& Known() {
  static Guarded<Table> table;
  return table;
}

// Of a few members; operator== compares all of them.
uint64_t HashOf(const std::string& ns, const std::vector<dra::PodDemand>& demands) {
  uint64_t hash = Hash64(ns);
  for (const dra::PodDemand& demand : demands) {
    hash = Hash64(demand.name, hash) * 31 + static_cast<uint64_t>(demand.count);
    for (const dra::ClaimReference& claim : demand.claims)
      hash = Hash64(claim.claim_name, Hash64(claim.template_name, hash));
  }
  return hash;
}

void Sweep(Table& table) {
  std::erase_if(table.all, [](const auto& entry) { return entry.second.demands.expired(); });
  table.next_sweep = std::max(kFew, 2 * table.all.size());
}

}  // namespace

Demands SharedDemands(const std::string& ns, Demands made) {
  const uint64_t hash = HashOf(ns, *made);
  return Known().With([&](Table& table) {
    const auto [first, last] = table.all.equal_range(hash);
    for (auto at = first; at != last; ++at) {
      const Demands known = at->second.demands.lock();
      if (known != nullptr && at->second.ns == ns && *known == *made) return known;
    }
    if (table.all.size() >= table.next_sweep) Sweep(table);
    table.all.emplace(hash, Shared{ns, made});
    return made;
  });
}

size_t CountSharedDemands() {
  return Known().With([](Table& table) {
    Sweep(table);
    return table.all.size();
  });
}

}  // namespace fedra::tracking
