#pragma once
//
// Read-your-writes overlay on a cache: our own writes until the watch delivers them.
//
// Without it a decision taken right after a write would see the state before it and repeat the
// write. An entry goes as soon as the cache has heard of the object again, and counts for half a
// minute at most: when a watch breaks and its relist no longer has the object, the cache never
// hears of it, and the owner of the object must look again when its entry goes (TakeOverdue).
// Only an optimisation: every write is conditional or repeatable.
//
// T has `key`, `uid`, `version`, `deleting`. Thread rules: any thread.
// Lifetime: the cache and the clock must outlive this.

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/types.h"
#include "cluster-clients/kube/resource_version.h"
#include "cluster-clients/watch/object_cache.h"

namespace fedra::watch {

template <class T>
class OwnWrites final {
 public:
  using Pointer = std::shared_ptr<const T>;

  OwnWrites(const ObjectCache<T>& cache, const Clock& clock) : cache_(cache), clock_(clock) {}

  // The object as far as we know; null: there is none.
  Pointer Find(const ObjectKey& key) const {
    const SteadyTime now = clock_.Steady();
    const auto entry = written_.With([&](const Entries& entries) -> std::optional<Pointer> {
      const auto found = entries.find(key);
      if (found == entries.end() || IsOverdue(found->second, now)) return std::nullopt;
      return found->second.object;
    });
    return entry ? *entry : cache_.Find(key);
  }

  // We created it, or it may be that we did; `object` is the server's answer.
  void Wrote(Pointer object) { Put(std::move(object), /*created=*/true); }
  // We changed one that we knew of. When the cache has none any more it was deleted before the
  // answer came, and no event will say so again; but for one that we created, and that the cache
  // has not heard of yet.
  void Changed(Pointer object) { Put(std::move(object), /*created=*/false); }
  // We deleted the object with this UID.
  void Deleted(const ObjectKey& key, const std::string& uid) {
    const SteadyTime now = clock_.Steady();
    written_.With([&](Entries& entries) { entries[key] = {nullptr, uid, now}; });
    const Pointer cached = cache_.Find(key);
    if (cached == nullptr || cached->uid != uid || cached->deleting) Drop(key);
  }

  // The cache heard of `key`; `after` is null when the object is gone.
  void Observed(const ObjectKey& key, const Pointer& after) {
    written_.With([&](Entries& entries) {
      const auto found = entries.find(key);
      if (found == entries.end() || IsStillAhead(found->second, after)) return;
      entries.erase(found);
    });
  }

  // The objects whose entries have had their time, and go with this call: what the cache says of
  // them counts from now on.
  std::vector<ObjectKey> TakeOverdue() {
    const SteadyTime now = clock_.Steady();
    std::vector<ObjectKey> keys;
    written_.With([&](Entries& entries) {
      std::erase_if(entries, [&](const auto& entry) {
        const bool overdue = IsOverdue(entry.second, now);
        if (overdue) keys.push_back(entry.first);
        return overdue;
      });
    });
    return keys;
  }

  // The answer to a write of ours that made exactly this version; null: none did.
  Pointer Written(const ObjectKey& key, const ResourceVersion& version) const {
    return written_.With([&](const Entries& entries) -> Pointer {
      const auto found = entries.find(key);
      if (found == entries.end() || found->second.object == nullptr) return nullptr;
      return found->second.object->version == version ? found->second.object : nullptr;
    });
  }

  // How many objects we wrote that the cache does not show yet.
  int unseen() const {
    const SteadyTime now = clock_.Steady();
    return written_.With([&](const Entries& entries) {
      return static_cast<int>(std::count_if(entries.begin(), entries.end(), [&](const auto& entry) {
        return entry.second.object != nullptr && !IsOverdue(entry.second, now);
      }));
    });
  }

 private:
  // Watches are behind by milliseconds.
  static constexpr std::chrono::seconds kLongest{30};

  struct Entry {
    Pointer object;           // null: deleted
    std::string deleted_uid;  // of what was deleted
    SteadyTime at{};
    bool is_new = false;  // the cache has not heard of this object yet
  };
  using Entries = std::unordered_map<ObjectKey, Entry>;

  static bool IsOverdue(const Entry& entry, SteadyTime now) { return now - entry.at > kLongest; }
  static bool IsStillAhead(const Entry& entry, const Pointer& after) {
    if (after == nullptr) return false;
    if (entry.object == nullptr) return after->uid == entry.deleted_uid && !after->deleting;
    return !kube::IsNotOlder(after->version, entry.object->version);
  }
  void Put(Pointer object, bool created) {
    const ObjectKey key = object->key;
    const ResourceVersion version = object->version;
    const SteadyTime now = clock_.Steady();
    bool is_new = created;
    written_.With([&](Entries& entries) {
      Entry& entry = entries[key];
      is_new |= entry.is_new && entry.object != nullptr && entry.object->uid == object->uid;
      entry = {std::move(object), {}, now, is_new};
    });
    const Pointer cached = cache_.Find(key);
    const bool is_gone = cached == nullptr && !is_new;
    if (is_gone || (cached != nullptr && kube::IsNotOlder(cached->version, version))) Drop(key);
  }
  void Drop(const ObjectKey& key) {
    written_.With([&](Entries& entries) { entries.erase(key); });
  }

  const ObjectCache<T>& cache_;
  const Clock& clock_;
  Guarded<Entries> written_;
};

}  // namespace fedra::watch
