#pragma once
//
// Bodies of ObjectCache<T>; included by object_cache.h only.

#include <utility>

#include <nlohmann/json.hpp>

namespace fedra::watch {

template <class T>
ObjectCache<T>::ObjectCache(Parser parser, OnObject on_object, OnHealth on_health,
                            AlreadyRead already_read)
    : parser_(std::move(parser)),
      on_object_(std::move(on_object)),
      on_health_(std::move(on_health)),
      already_read_(std::move(already_read)) {}

template <class T>
std::shared_ptr<const T> ObjectCache<T>::Find(const ObjectKey& key) const {
  return tracker_.With([&](const Tracker& tracker) -> std::shared_ptr<const T> {
    const auto* entry = tracker.Find(key);
    return entry == nullptr ? nullptr : entry->payload;
  });
}

template <class T>
std::vector<std::shared_ptr<const T>> ObjectCache<T>::List() const {
  std::vector<std::shared_ptr<const T>> all;
  tracker_.With([&](const Tracker& tracker) {
    all.reserve(tracker.entries().size());
    for (const auto& [key, entry] : tracker.entries()) all.push_back(entry.payload);
  });
  return all;
}

template <class T>
size_t ObjectCache<T>::size() const {
  return tracker_.With([](const Tracker& tracker) { return tracker.entries().size(); });
}

template <class T>
CacheHealth ObjectCache<T>::health() const {
  return health_.Copy();
}

template <class T>
Held ObjectCache<T>::held() const {
  return tracker_.With([](const Tracker& tracker) { return tracker.held(); });
}

template <class T>
void ObjectCache<T>::Reset() {
  tracker_.With([](Tracker& tracker) { tracker.Begin(); });
}

template <class T>
Result<void> ObjectCache<T>::Upsert(ObjectText& object) {
  FEDRA_ASSIGN_OR_RETURN(Meta meta, ScanMeta(object.text()));
  if (tracker_.With([&](Tracker& tracker) { return tracker.Note(meta); })) return {};
  Result<std::shared_ptr<const T>> value = Read(meta, object);
  if (!value) return Fail(std::move(value).error().WithContext(meta.key.ToString()));
  const ObjectKey key = meta.key;
  std::shared_ptr<const T> before;
  const bool listing = tracker_.With([&](Tracker& tracker) {
    if (const auto* entry = tracker.Find(key)) before = entry->payload;
    tracker.Put(std::move(meta), object.text().size(), *value);
    return tracker.listing();
  });
  if (!listing && on_object_) on_object_(key, before, *value);
  return {};
}

template <class T>
Result<void> ObjectCache<T>::Remove(std::string_view object) {
  FEDRA_ASSIGN_OR_RETURN(const Meta meta, ScanMeta(object));
  const auto before = tracker_.With([&](Tracker& tracker) { return tracker.Remove(meta.key); });
  if (before && on_object_) on_object_(meta.key, *before, nullptr);
  return {};
}

template <class T>
void ObjectCache<T>::Synced() {
  const auto before = tracker_.With([](Tracker& tracker) { return tracker.Finish(); });
  if (!before || !on_object_) return;
  // Only this thread changes what is held, so this is what readers see while the listeners run.
  const auto after = tracker_.With([](const Tracker& tracker) { return tracker.entries(); });
  for (const auto& [key, entry] : after) {
    const auto old = before->find(key);
    if (old == before->end()) {
      on_object_(key, nullptr, entry.payload);
    } else if (old->second.payload != entry.payload) {
      on_object_(key, old->second.payload, entry.payload);
    }
  }
  for (const auto& [key, entry] : *before) {
    if (!after.contains(key)) on_object_(key, entry.payload, nullptr);
  }
}

template <class T>
void ObjectCache<T>::SetHealth(CacheHealth health) {
  health_.With([&](CacheHealth& now) { now = health; });
  if (on_health_) on_health_(health);
}

template <class T>
Result<std::shared_ptr<const T>> ObjectCache<T>::Read(const Meta& meta, ObjectText& object) const {
  if (already_read_) {
    if (auto known = already_read_(meta.key, meta.version)) return known;
  }
  const Result<nlohmann::json>& json = object.Parsed();
  if (!json) return Fail(json.error());
  FEDRA_ASSIGN_OR_RETURN(T value, parser_(*json));
  return std::make_shared<const T>(std::move(value));
}

}  // namespace fedra::watch
