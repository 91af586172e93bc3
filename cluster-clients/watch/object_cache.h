#pragma once
//
// The informer-style cache of one resource of one cluster: what the API server said last, as typed
// values.
//
// A reflector feeds it through CacheSink; readers take shared, immutable objects out of it. A
// relist is applied in one step: readers see the old set or the new set, never half of either, and
// listeners hear only of keys whose object really changed (resourceVersion), appeared or went away.
//
// Thread rules: everything may be called from any thread. Listeners run on the reflector's worker
// thread, outside of every lock, one call at a time per cache.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "base/types.h"
#include "cluster-clients/watch/list_bounds.h"
#include "cluster-clients/watch/meta.h"
#include "cluster-clients/watch/relist_tracker.h"

namespace fedra::watch {

enum class CacheState {
  kSyncing,    // since the connection was made nothing is complete, and nothing has failed yet
  kSynced,     // complete as of the last event; a watch is open or about to be reopened
  kForbidden,  // 403 on list or watch. The content, if any, is the last that was readable
  kNotServed,  // the server does not serve this group/version/resource. The content is empty, or,
               // for WatchSpec::keeps_unserved, the last known
  kFailing,    // errors for other reasons; the content is the last known and getting old
};

struct CacheHealth {
  CacheState state = CacheState::kSyncing;
  bool complete = false;  // at least one full list has arrived since the cache was made
  // Why, in every state but kSyncing and kSynced. Shared: every look at a worker takes copies.
  std::shared_ptr<const Error> error;
  SteadyTime since{};  // when `state` was entered

  // Whether the lists are arriving.
  bool IsListing() const { return state == CacheState::kSyncing; }
  // Whether the content is what the server has: what it does not serve is not missed.
  bool IsCurrent() const { return state == CacheState::kSynced || state == CacheState::kNotServed; }
};

// Where a reflector delivers. Not called concurrently for one sink.
class CacheSink {
 public:
  virtual ~CacheSink() = default;
  // A list begins; everything until Synced() replaces the content in one step.
  virtual void Reset() = 0;
  // One object as JSON text. An object that cannot be read is an error of this object only.
  virtual Result<void> Upsert(std::string_view object) = 0;
  virtual Result<void> Remove(std::string_view object) = 0;
  virtual void Synced() = 0;
  virtual Held held() const = 0;
  virtual void SetHealth(CacheHealth health) = 0;
  // Of any thread.
  virtual CacheHealth health() const = 0;
};

// The text of one object, parsed at most once, by the first reader that needs it.
// Thread rules: one thread. Lifetime: the text must outlive it.
class ObjectText final {
 public:
  explicit ObjectText(std::string_view text);
  ~ObjectText();
  ObjectText(const ObjectText&) = delete;
  ObjectText& operator=(const ObjectText&) = delete;

  std::string_view text() const { return text_; }
  // As ParseJson.
  const Result<nlohmann::json>& Parsed();

 private:
  const std::string_view text_;
  std::unique_ptr<const Result<nlohmann::json>> parsed_;
};

// A sink that reads the objects themselves, and can share the reading with another one.
class ObjectSink : public CacheSink {
 public:
  Result<void> Upsert(std::string_view object) final {
    ObjectText text(object);
    return Upsert(text);
  }
  virtual Result<void> Upsert(ObjectText& object) = 0;
};

template <class T>
class ObjectCache final : public ObjectSink {
 public:
  using Parser = std::function<Result<T>(const nlohmann::json& object)>;
  using OnObject = std::function<void(const ObjectKey& key, const std::shared_ptr<const T>& before,
                                      const std::shared_ptr<const T>& after)>;
  using OnHealth = std::function<void(const CacheHealth& health)>;
  // The object of this version if it has been parsed already; else null.
  using AlreadyRead =
      std::function<std::shared_ptr<const T>(const ObjectKey& key, const ResourceVersion& version)>;

  // `on_object` gets null for `before` when the object is new and for `after` when it is gone.
  // `already_read` may be empty; it saves parsing what was the answer to our own write.
  ObjectCache(Parser parser, OnObject on_object, OnHealth on_health, AlreadyRead already_read = {});

  // Null when there is no such object.
  std::shared_ptr<const T> Find(const ObjectKey& key) const;
  // Everything, in no particular order.
  std::vector<std::shared_ptr<const T>> List() const;
  size_t size() const;
  CacheHealth health() const override;

  void Reset() override;
  using ObjectSink::Upsert;
  Result<void> Upsert(ObjectText& object) override;
  Result<void> Remove(std::string_view object) override;
  void Synced() override;
  Held held() const override;
  void SetHealth(CacheHealth health) override;

 private:
  using Tracker = RelistTracker<std::shared_ptr<const T>>;

  Result<std::shared_ptr<const T>> Read(const Meta& meta, ObjectText& object) const;

  const Parser parser_;
  const OnObject on_object_;
  const OnHealth on_health_;
  const AlreadyRead already_read_;

  Guarded<Tracker> tracker_;  // changed by the feeding reflector only
  Guarded<CacheHealth> health_;
};

// Parses the JSON text of an object without exceptions; kBadResponse when it is broken. Without its
// metadata.managedFields, which fedra does not need.
Result<nlohmann::json> ParseJson(std::string_view text);

}  // namespace fedra::watch

#include "cluster-clients/watch/object_cache_inl.h"
