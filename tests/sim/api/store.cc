#include "tests/sim/api/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "base/assert.h"
#include "base/hash.h"

namespace fedra::sim {
namespace {

std::shared_ptr<const Labels> ReadLabels(const Json& body) {
  auto labels = std::make_shared<Labels>();
  const Json* found = At(body, {"metadata", "labels"});
  if (found != nullptr && found->is_object()) {
    for (const auto& label : found->items()) {
      if (label.value().is_string()) labels->emplace(label.key(), label.value());
    }
  }
  return labels;
}

bool SameLabels(const Json& body, const Labels& labels) {
  const Json* found = At(body, {"metadata", "labels"});
  if (found == nullptr || !found->is_object()) return labels.empty();
  if (found->size() != labels.size()) return false;
  return std::all_of(labels.begin(), labels.end(), [found](const auto& label) {
    return StringAt(*found, {label.first}) == label.second;
  });
}

std::vector<std::string> ReadOwners(const Json& body) {
  std::vector<std::string> uids;
  for (const Json& owner : ArrayAt(body, {"metadata", "ownerReferences"})) {
    uids.emplace_back(StringAt(owner, {"uid"}));
  }
  return uids;
}

uint64_t RandomSeed() {
  std::random_device device;
  return (uint64_t{device()} << 32) | device();
}

}  // namespace

Store::Store(const Registry& registry, size_t history)
    : history_(history), collections_(registry.types().size()), seed_(RandomSeed()) {}

Object* Store::Find(const ResourceType& type, const ObjectKey& key) {
  return const_cast<Object*>(std::as_const(*this).Find(type, key));
}

const Object* Store::Find(const ResourceType& type, const ObjectKey& key) const {
  const Objects& objects = collections_[type.index].objects;
  const auto found = objects.find(key);
  return found == objects.end() ? nullptr : &found->second;
}

Object& Store::Insert(const ResourceType& type, const ObjectKey& key, Json body) {
  Object& object = collections_[type.index].objects[key];
  FEDRA_ASSERT(object.text == nullptr, "an object is inserted once");
  object.body = std::move(body);
  uids_[std::string(StringAt(object.body, {"metadata", "uid"}))] = {&type, key};
  Seal(type, key, object);
  Publish(type, {.type = EventType::kAdded,
                 .version = object.version,
                 .key = key,
                 .before = nullptr,
                 .after = object.text,
                 .labels_before = nullptr,
                 .labels_after = object.labels,
                 .uid = {},
                 .owner_uids = {}});
  return object;
}

void Store::Touch(const ResourceType& type, const ObjectKey& key, Object& object) {
  const Text before = object.text;
  const auto labels_before = object.labels;
  Seal(type, key, object);
  Publish(type, {.type = EventType::kModified,
                 .version = object.version,
                 .key = key,
                 .before = before,
                 .after = object.text,
                 .labels_before = labels_before,
                 .labels_after = object.labels,
                 .uid = {},
                 .owner_uids = {}});
}

void Store::Remove(const ResourceType& type, const ObjectKey& key) {
  Objects& objects = collections_[type.index].objects;
  const auto found = objects.find(key);
  FEDRA_ASSERT(found != objects.end(), "an object is removed once");
  Object object = std::move(found->second);
  Unindex(type, key, object);
  std::string uid(StringAt(object.body, {"metadata", "uid"}));
  uids_.erase(uid);
  objects.erase(found);
  object.version = ++version_;
  object.body["metadata"]["resourceVersion"] = std::to_string(object.version);
  Publish(type, {.type = EventType::kDeleted,
                 .version = object.version,
                 .key = key,
                 .before = object.text,
                 .after = std::make_shared<const std::string>(Serialize(object.body)),
                 .labels_before = object.labels,
                 .labels_after = object.labels,
                 .uid = std::move(uid),
                 .owner_uids = std::move(object.owner_uids)});
}

void Store::Seal(const ResourceType& type, const ObjectKey& key, Object& object) {
  object.version = ++version_;
  object.body["metadata"]["resourceVersion"] = std::to_string(object.version);
  object.text = std::make_shared<const std::string>(Serialize(object.body));
  if (object.labels == nullptr || !SameLabels(object.body, *object.labels)) {
    object.labels = ReadLabels(object.body);
  }
  std::vector<std::string> owners = ReadOwners(object.body);
  if (owners == object.owner_uids) return;
  Unindex(type, key, object);
  object.owner_uids = std::move(owners);
  for (const std::string& uid : object.owner_uids) dependents_[uid].insert({&type, key});
}

void Store::Unindex(const ResourceType& type, const ObjectKey& key, const Object& object) {
  for (const std::string& uid : object.owner_uids) {
    const auto found = dependents_.find(uid);
    if (found == dependents_.end()) continue;
    found->second.erase({&type, key});
    if (found->second.empty()) dependents_.erase(found);
  }
}

void Store::Publish(const ResourceType& type, Event event) {
  Collection& collection = collections_[type.index];
  collection.events.push_back(std::move(event));
  if (collection.events.size() > history_) {
    collection.forgotten = collection.events.front().version;
    collection.events.pop_front();
  }
  for (Observer* observer : observers_) {
    observer->OnChange(*this, type, collection.events.back());
  }
}

bool Store::Remembers(const ResourceType& type, uint64_t version) const {
  return version >= collections_[type.index].forgotten;
}

std::deque<Event>::const_iterator Store::After(const ResourceType& type, uint64_t version) const {
  const auto& events = Events(type);
  return std::upper_bound(events.begin(), events.end(), version,
                          [](uint64_t v, const Event& event) { return v < event.version; });
}

void Store::ForgetHistory() {
  // The version moves on, so that even the newest version a client can hold is too old.
  ++version_;
  for (Collection& collection : collections_) {
    collection.events.clear();
    collection.forgotten = version_;
  }
}

std::set<Place> Store::Dependents(const std::string& uid) const {
  const auto found = dependents_.find(uid);
  return found == dependents_.end() ? std::set<Place>() : found->second;
}

const Place* Store::WhereIs(const std::string& uid) const {
  const auto found = uids_.find(uid);
  return found == uids_.end() ? nullptr : &found->second;
}

std::string Store::NewUid() {
  const uint64_t low = Hash64(std::to_string(++counter_), seed_);
  const uint64_t high = Hash64("uid", low ^ seed_);
  return fmt::format("{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}", high >> 32, (high >> 16) & 0xffff,
                     high & 0xfff, low >> 52, low & 0xffff'ffff'ffffULL);
}

std::string Store::NewSuffix() {
  // The alphabet of generateName: no vowels, no 0, 1, 3.
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  uint64_t value = Hash64(std::to_string(++counter_), seed_);
  std::string suffix;
  for (int i = 0; i < 5; ++i, value /= kAlphabet.size()) {
    suffix += kAlphabet[value % kAlphabet.size()];
  }
  return suffix;
}

}  // namespace fedra::sim
