#pragma once
//
// A reflector's sink that passes typed values on instead of keeping them: for objects whose owner
// (a dra::SnapshotBuilder) stores them in its own shape, so that nothing is held twice.
//
// Remembers only which version of which object was passed on. As with ObjectCache, a relist is
// applied in one step and passes on nothing that did not change.
//
// Thread rules: as CacheSink; health() from any thread. `apply` runs on the reflector's thread, one
// call at a time.

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/guarded.h"
#include "cluster-clients/watch/object_cache.h"

namespace fedra::verify {

template <class T>
class ObjectFeed final : public watch::ObjectSink {
 public:
  struct Change {
    ObjectKey key;
    std::optional<T> value;  // absent: the object is gone
  };
  using Read = std::function<Result<T>(const nlohmann::json& object)>;
  using Apply = std::function<void(std::vector<Change> changes)>;
  using OnHealth = std::function<void()>;

  ObjectFeed(Read read, Apply apply, OnHealth on_health)
      : read_(std::move(read)), apply_(std::move(apply)), on_health_(std::move(on_health)) {}

  watch::CacheHealth health() const { return health_.Copy(); }

  void Reset() override {
    listing_ = true;
    arriving_.clear();
    arrived_.clear();
  }

  using ObjectSink::Upsert;
  Result<void> Upsert(watch::ObjectText& object) override {
    FEDRA_ASSIGN_OR_RETURN(watch::Meta meta, watch::ScanMeta(object.text()));
    const auto known = known_.find(meta.key);
    const bool is_known = known != known_.end();
    const Version version{std::move(meta.version), std::move(meta.uid)};
    if (listing_ && is_known) arriving_.insert(*known);
    if (is_known && known->second == version) return {};
    const Result<nlohmann::json>& json = object.Parsed();
    if (!json) return Fail(json.error());
    Result<T> value = read_(*json);
    if (!value) return Fail(std::move(value).error().WithContext(meta.key.ToString()));
    Change change{meta.key, *std::move(value)};
    if (listing_) {
      arriving_.insert_or_assign(std::move(meta.key), version);
      arrived_.push_back(std::move(change));
      return {};
    }
    known_.insert_or_assign(std::move(meta.key), version);
    ApplyOne(std::move(change));
    return {};
  }

  Result<void> Remove(std::string_view object) override {
    FEDRA_ASSIGN_OR_RETURN(watch::Meta meta, watch::ScanMeta(object));
    if (known_.erase(meta.key) > 0) ApplyOne({std::move(meta.key), std::nullopt});
    return {};
  }

  void Synced() override {
    if (!std::exchange(listing_, false)) return;
    std::vector<Change> changes = std::exchange(arrived_, {});
    for (const auto& [key, version] : known_) {
      if (!arriving_.contains(key)) changes.push_back({key, std::nullopt});
    }
    known_ = std::exchange(arriving_, {});
    if (!changes.empty()) apply_(std::move(changes));
  }

  void SetHealth(watch::CacheHealth health) override {
    health_.With([&](watch::CacheHealth& now) { now = std::move(health); });
    on_health_();
  }

 private:
  struct Version {
    ResourceVersion version;
    std::string uid;
    bool operator==(const Version&) const = default;
  };
  using Versions = std::unordered_map<ObjectKey, Version>;

  void ApplyOne(Change change) {
    std::vector<Change> changes;
    changes.push_back(std::move(change));
    apply_(std::move(changes));
  }

  const Read read_;
  const Apply apply_;
  const OnHealth on_health_;
  Guarded<watch::CacheHealth> health_;

  // Used by the feeding reflector only.
  Versions known_;
  bool listing_ = false;
  Versions arriving_;
  std::vector<Change> arrived_;
};

// One watch for two: everything goes to `first`, then to `second`, and is parsed once.
class TeeSink final : public watch::CacheSink {
 public:
  TeeSink(watch::ObjectSink& first, watch::ObjectSink& second) : first_(first), second_(second) {}

  void Reset() override {
    first_.Reset();
    second_.Reset();
  }
  Result<void> Upsert(std::string_view object) override {
    watch::ObjectText text(object);
    Result<void> result = first_.Upsert(text);
    Result<void> other = second_.Upsert(text);
    return result ? std::move(other) : std::move(result);
  }
  Result<void> Remove(std::string_view object) override {
    Result<void> result = first_.Remove(object);
    Result<void> other = second_.Remove(object);
    return result ? std::move(other) : std::move(result);
  }
  void Synced() override {
    first_.Synced();
    second_.Synced();
  }
  void SetHealth(watch::CacheHealth health) override {
    first_.SetHealth(health);
    second_.SetHealth(std::move(health));
  }

 private:
  watch::ObjectSink& first_;
  watch::ObjectSink& second_;
};

}  // namespace fedra::verify
