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
#include <string_view>
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

  watch::CacheHealth health() const override { return health_.Copy(); }

  void Reset() override {
    tracker_.Begin();
    arrived_.clear();
  }

  using ObjectSink::Upsert;
  Result<void> Upsert(watch::ObjectText& object) override {
    FEDRA_ASSIGN_OR_RETURN(watch::Meta meta, watch::ScanMeta(object.text()));
    if (tracker_.Note(meta)) return {};
    const Result<nlohmann::json>& parsed = object.Parsed();
    if (!parsed) return Fail(parsed.error());
    Result<T> value = read_(*parsed);
    if (!value) return Fail(std::move(value).error().WithContext(meta.key.ToString()));
    Change change{meta.key, *std::move(value)};
    tracker_.Put(std::move(meta), object.text().size(), {});
    if (tracker_.listing()) {
      arrived_.push_back(std::move(change));
    } else {
      ApplyOne(std::move(change));
    }
    return {};
  }

  Result<void> Remove(std::string_view object) override {
    FEDRA_ASSIGN_OR_RETURN(watch::Meta meta, watch::ScanMeta(object));
    if (tracker_.Remove(meta.key)) ApplyOne({std::move(meta.key), std::nullopt});
    return {};
  }

  void Synced() override {
    const auto before = tracker_.Finish();
    if (!before) return;
    std::vector<Change> changes = std::exchange(arrived_, {});
    for (const auto& [key, entry] : *before) {
      if (tracker_.Find(key) == nullptr) changes.push_back({key, std::nullopt});
    }
    if (!changes.empty()) apply_(std::move(changes));
  }

  watch::Held held() const override { return tracker_.held(); }

  void SetHealth(watch::CacheHealth health) override {
    health_.With([&](watch::CacheHealth& now) { now = std::move(health); });
    on_health_();
  }

 private:
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
  struct Nothing {};
  watch::RelistTracker<Nothing> tracker_;
  std::vector<Change> arrived_;  // with the list
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
  watch::Held held() const override { return first_.held(); }
  watch::CacheHealth health() const override { return second_.health(); }
  void SetHealth(watch::CacheHealth health) override {
    first_.SetHealth(health);
    second_.SetHealth(std::move(health));
  }

 private:
  watch::ObjectSink& first_;
  watch::ObjectSink& second_;
};

}  // namespace fedra::verify
