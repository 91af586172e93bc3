#pragma once
//
// An object cache together with our own writes to the same objects.
//
// Thread rules: as ObjectCache and OwnWrites. Lifetime: the clock must outlive it.

#include <utility>

#include "cluster-clients/watch/object_cache.h"
#include "cluster-clients/watch/own_writes.h"

namespace fedra::watch {

template <class T>
class TrackedCache final {
 public:
  using OnObject = typename ObjectCache<T>::OnObject;
  using OnHealth = typename ObjectCache<T>::OnHealth;

  TrackedCache(typename ObjectCache<T>::Parser parser, OnObject on_object, OnHealth on_health,
               const Clock& clock)
      : cache_(
            std::move(parser),
            [this, on_object = std::move(on_object)](const auto& key, const auto& before,
                                                     const auto& after) {
              own_.Observed(key, after);
              on_object(key, before, after);
            },
            std::move(on_health),
            [this](const ObjectKey& key, const ResourceVersion& version) {
              return own_.Written(key, version);
            }),
        own_(cache_, clock) {}

  // The newest state we know of: our own write, or what the watch showed.
  std::shared_ptr<const T> Find(const ObjectKey& key) const { return own_.Find(key); }

  ObjectCache<T>& cache() { return cache_; }
  const ObjectCache<T>& cache() const { return cache_; }
  OwnWrites<T>& own() { return own_; }
  const OwnWrites<T>& own() const { return own_; }

 private:
  ObjectCache<T> cache_;
  OwnWrites<T> own_;
};

}  // namespace fedra::watch
