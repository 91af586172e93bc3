#pragma once
//
// Bodies of ObjectCache<T>; included by object_cache.h only.

#include <utility>

#include <nlohmann/json.hpp>

namespace fedra::watch {

template <class T>
ObjectCache<T>::ObjectCache(Parser parser, OnObject on_object, OnHealth on_health,
                            AlreadyRead already_read)
    : parser_(parser),
      on_object_(std::move(on_object)),
      on_health_(std::move(on_health)),
      already_read_(std::move(already_read)) {}

template <class T>
std::shared_ptr<const T> ObjectCache<T>::Find(const ObjectKey& key) const {
  return entries_.With([&](const Entries& entries) -> std::shared_ptr<const T> {
    const auto found = entries.find(key);
    return found == entries.end() ? nullptr : found->second.value;
  });
}

template <class T>
std::vector<std::shared_ptr<const T>> ObjectCache<T>::List() const {
  std::vector<std::shared_ptr<const T>> all;
  entries_.With([&](const Entries& entries) {
    all.reserve(entries.size());
    for (const auto& [key, entry] : entries) all.push_back(entry.value);
  });
  return all;
}

template <class T>
size_t ObjectCache<T>::size() const {
  return entries_.With([](const Entries& entries) { return entries.size(); });
}

template <class T>
CacheHealth ObjectCache<T>::health() const {
  return health_.Copy();
}

template <class T>
void ObjectCache<T>::Reset() {
  listing_ = true;
  arriving_.clear();
}

template <class T>
std::optional<typename ObjectCache<T>::Entry> ObjectCache<T>::Known(const ObjectKey& key) const {
  return entries_.With([&](const Entries& entries) -> std::optional<Entry> {
    const auto found = entries.find(key);
    if (found == entries.end()) return std::nullopt;
    return found->second;
  });
}

template <class T>
Result<void> ObjectCache<T>::Upsert(ObjectText& object) {
  FEDRA_ASSIGN_OR_RETURN(Meta meta, ScanMeta(object.text()));
  std::optional<Entry> known = Known(meta.key);
  const bool unchanged = known && known->version == meta.version && known->uid == meta.uid;
  if (unchanged) {
    if (listing_) arriving_.insert_or_assign(std::move(meta.key), *std::move(known));
    return {};
  }
  Result<std::shared_ptr<const T>> value = Read(meta, object);
  if (!value) {
    // What was readable before is better than a hole, which would look like a deletion.
    if (listing_ && known) arriving_.insert_or_assign(meta.key, *std::move(known));
    return Fail(std::move(value).error().WithContext(meta.key.ToString()));
  }
  Entry entry{std::move(meta.version), std::move(meta.uid), *std::move(value)};
  if (listing_) {
    arriving_.insert_or_assign(std::move(meta.key), std::move(entry));
    return {};
  }
  const auto after = entry.value;
  entries_.With([&](Entries& entries) { entries.insert_or_assign(meta.key, std::move(entry)); });
  if (on_object_) on_object_(meta.key, known ? known->value : nullptr, after);
  return {};
}

template <class T>
Result<void> ObjectCache<T>::Remove(std::string_view object) {
  FEDRA_ASSIGN_OR_RETURN(const Meta meta, ScanMeta(object));
  std::shared_ptr<const T> before;
  entries_.With([&](Entries& entries) {
    const auto found = entries.find(meta.key);
    if (found == entries.end()) return;
    before = std::move(found->second.value);
    entries.erase(found);
  });
  if (before && on_object_) on_object_(meta.key, before, nullptr);
  return {};
}

template <class T>
void ObjectCache<T>::Synced() {
  if (!std::exchange(listing_, false)) return;
  // Only this thread changes the entries, so `after` stays what readers see while the listeners
  // run.
  const Entries after = std::exchange(arriving_, {});
  Entries before = after;
  entries_.With([&](Entries& entries) { entries.swap(before); });
  if (!on_object_) return;
  for (const auto& [key, entry] : after) {
    const auto old = before.find(key);
    if (old == before.end()) {
      on_object_(key, nullptr, entry.value);
    } else if (old->second.value != entry.value) {
      on_object_(key, old->second.value, entry.value);
    }
  }
  for (const auto& [key, entry] : before) {
    if (!after.contains(key)) on_object_(key, entry.value, nullptr);
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
