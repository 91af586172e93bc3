#pragma once
//
// The objects of one cluster with their history: etcd and the watch cache in one.
//
// One counter gives every change of any object its resourceVersion. An object is serialised once
// per change; lists, watches and answers share that text. The last changes of each resource are
// kept, so that watches resume and paginated lists continue at the version they began with.
//
// Thread rules: none of its own; Core keeps it behind one lock. References to objects are valid
// until the object is removed.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/types.h"
#include "tests/sim/api/ownership.h"
#include "tests/sim/api/resource_types.h"
#include "tests/sim/api/selector.h"

namespace fedra::sim {

// Finalizers of kube-controller-manager's garbage collector.
inline constexpr std::string_view kForeground = "foregroundDeletion";
inline constexpr std::string_view kOrphan = "orphan";

using Text = std::shared_ptr<const std::string>;

struct Object {
  Json body;
  uint64_t version = 0;                  // resourceVersion
  Text text;                             // `body`, serialised
  std::shared_ptr<const Labels> labels;  // never null
  std::vector<std::string> owner_uids;   // of metadata.ownerReferences
  Owners owners;                         // of fields
};

enum class EventType { kAdded, kModified, kDeleted };

// One change as a watch sees it. `before` is null for kAdded; `after` of kDeleted is the last state
// with the version of the deletion.
struct Event {
  EventType type = EventType::kAdded;
  uint64_t version = 0;
  ObjectKey key;
  Text before;
  Text after;
  std::shared_ptr<const Labels> labels_before;  // null for kAdded
  std::shared_ptr<const Labels> labels_after;
  // Of kDeleted: what the garbage collector must know.
  std::string uid;
  std::vector<std::string> owner_uids;
};

// An object by type and key.
struct Place {
  const ResourceType* type = nullptr;
  ObjectKey key;
  auto operator<=>(const Place&) const = default;
};

class Store;

// Is called at every change while the store is locked: remember and return.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void OnChange(const Store& store, const ResourceType& type, const Event& event) = 0;
};

class Store final {
 public:
  using Objects = std::map<ObjectKey, Object>;

  // `history`: changes kept per resource.
  Store(const Registry& registry, size_t history);

  uint64_t version() const { return version_; }
  const Objects& All(const ResourceType& type) const { return collections_[type.index].objects; }
  // Null pointers when there is no such object.
  Object* Find(const ResourceType& type, const ObjectKey& key);
  const Object* Find(const ResourceType& type, const ObjectKey& key) const;

  // Each makes one new version and tells the observers. The body is complete but for the
  // resourceVersion.
  Object& Insert(const ResourceType& type, const ObjectKey& key, Json body);
  // After the body was changed in place.
  void Touch(const ResourceType& type, const ObjectKey& key, Object& object);
  void Remove(const ResourceType& type, const ObjectKey& key);

  // The changes of a resource after `version`, oldest first. Nothing: some of them are forgotten
  // already.
  const std::deque<Event>& Events(const ResourceType& type) const {
    return collections_[type.index].events;
  }
  bool Remembers(const ResourceType& type, uint64_t version) const;
  // The first change after `version`.
  std::deque<Event>::const_iterator After(const ResourceType& type, uint64_t version) const;
  void ForgetHistory();

  // Objects that name `uid` as an owner, and where the object with `uid` itself is (null pointer:
  // nowhere).
  std::set<Place> Dependents(const std::string& uid) const;
  const Place* WhereIs(const std::string& uid) const;

  void Observe(Observer& observer) { observers_.push_back(&observer); }
  void Unobserve(Observer& observer) { std::erase(observers_, &observer); }

  // Unique in this and every other store of this and earlier processes.
  std::string NewUid();
  // Five characters for generateName.
  std::string NewSuffix();

 private:
  struct Collection {
    Objects objects;
    std::deque<Event> events;
    uint64_t forgotten = 0;  // changes up to this version are not in `events`
  };

  // Gives the object a version, text, labels and owners, and the indexes with them.
  void Seal(const ResourceType& type, const ObjectKey& key, Object& object);
  void Unindex(const ResourceType& type, const ObjectKey& key, const Object& object);
  void Publish(const ResourceType& type, Event event);

  const size_t history_;
  std::vector<Collection> collections_;
  uint64_t version_ = 1;
  std::vector<Observer*> observers_;
  std::unordered_map<std::string, std::set<Place>> dependents_;
  std::unordered_map<std::string, Place> uids_;
  uint64_t seed_;
  uint64_t counter_ = 0;
};

}  // namespace fedra::sim
