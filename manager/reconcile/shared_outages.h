#pragma once
//
// Since when the leader has had no contact with workers, for the replica that takes over: a
// ConfigMap beside the Lease, with a time for each such worker. So an outage keeps its deadline
// when another replica leads.
//
// Read once, before the first decision of a leader; then written when an outage begins or ends. An
// aid: what cannot be read or written keeps nothing from being done, and is said once.
//
// Thread rules: Run from one thread at a time, and it blocks; the rest from any. Lifetime: the
// cluster must outlive it.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json_fwd.hpp>

#include "base/guarded.h"
#include "cluster-clients/cluster.h"

namespace fedra::reconcile {

using Outages = std::map<ClusterName, WallTime>;  // since when

// More of them are not written, nor read.
inline constexpr size_t kMaxOutages = 5'000;
// As they are stored, with long names: etcd takes an object of 1.5 MiB.
inline constexpr size_t kMaxOutageBytes = 1'000'000;

// The ConfigMap as its server has it.
struct OutageMap {
  ResourceVersion version;  // empty: there is none
  Outages outages;
};

// Skips entries that are no worker's name or no time: any client that may write ConfigMaps there
// can have written them.
OutageMap ParseOutageMap(const nlohmann::json& object);
// The object that is created, and the merge patch that makes `before` say `outages`.
std::string OutageMapBody(const ObjectKey& key, const Outages& outages);
std::string OutageMapPatch(const OutageMap& before, const Outages& outages);

class SharedOutages final {
 public:
  SharedOutages(Cluster& manager, ObjectKey map) : manager_(manager), map_(std::move(map)) {}

  // What Run() has to see to, as of now; with whole seconds. True: that is something else than
  // before.
  bool Set(Outages now);
  // Reads the map, the first time, and writes what was set, where it says something else. Errors:
  // worth another try.
  Result<void> Run();

  // What the leader before has left; nothing: that is not known yet. Empty as well when it cannot
  // be read.
  std::optional<Outages> Left() const { return left_.Copy(); }

 private:
  Result<void> Read();
  Result<void> Write(const Outages& outages);
  // Nothing: trying again would not help. `complained`: whether that was said already.
  Result<void> Refused(const Error& error, bool& complained) const;

  // Constant after construction.
  Cluster& manager_;
  const ObjectKey map_;

  Guarded<std::optional<Outages>> wanted_;
  Guarded<std::optional<Outages>> left_;

  // Of the thread of Run().
  std::optional<OutageMap> known_;  // null: to be read
  // Since it could be done last.
  bool cannot_read_ = false;
  bool cannot_write_ = false;
};

}  // namespace fedra::reconcile
