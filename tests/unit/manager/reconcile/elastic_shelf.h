#pragma once
//
// What an API server has of one resource, and what fedra's cache shows of it: behind by any number
// of events, but for its own writes (watch::OwnWrites).
//
// T has `key`, `uid`, `version`. Thread rules: one thread.

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/types.h"

namespace fedra::reconcile::testing {

template <class T>
class Shelf final {
 public:
  using Ptr = std::shared_ptr<const T>;
  struct Change {
    std::string name;
    Ptr before, after;  // of the cache
  };

  // `writes`: counts those of all shelves, and must outlive this.
  explicit Shelf(int& writes) : writes_(writes) {}

  // As the server has it; null: it has none.
  Ptr Find(const std::string& name) const { return At(server_, name); }
  std::vector<Ptr> List() const {
    std::vector<Ptr> all;
    for (const auto& [name, object] : server_) all.push_back(object);
    return all;
  }
  // Creates or changes one. `ours`: fedra writes it.
  Ptr Put(T object, bool ours = false) {
    if (object.uid.empty()) object.uid = "uid-" + std::to_string(++writes_);
    object.version = ResourceVersion(std::to_string(++writes_));
    const std::string name = object.key.name;
    Ptr written = std::make_shared<const T>(std::move(object));
    server_[name] = written;
    events_.push_back({name, written});
    if (ours) own_[name] = {written, {}};
    return written;
  }
  void Erase(const std::string& name) {
    if (server_.erase(name) == 0) return;
    ++writes_;
    events_.push_back({name, nullptr});
  }
  // Fedra has deleted the object of this UID, or found that it is gone.
  void NoteDeleted(const std::string& name, const std::string& uid) {
    const Ptr cached = At(cache_, name);
    own_[name] = {nullptr, uid};
    if (cached == nullptr || cached->uid != uid) own_.erase(name);
  }

  // As fedra sees it.
  Ptr Seen(const std::string& name) const {
    const auto own = own_.find(name);
    return own == own_.end() ? At(cache_, name) : own->second.object;
  }
  // The objects of which its cache has heard, by name; their own order.
  std::vector<std::string> Known() const {
    std::vector<std::string> names;
    for (const auto& [name, object] : cache_) names.push_back(name);
    return names;
  }
  bool HasEvents() const { return !events_.empty(); }
  // The cache hears of the next event; there is one.
  Change Deliver() {
    auto [name, after] = std::move(events_.front());
    events_.pop_front();
    const auto own = own_.find(name);
    if (own != own_.end() && !IsAhead(own->second, after)) own_.erase(own);
    Ptr before = At(cache_, name);
    if (after == nullptr)
      cache_.erase(name);
    else
      cache_[name] = after;
    return {std::move(name), std::move(before), std::move(after)};
  }

 private:
  struct Own {
    Ptr object;               // null: deleted
    std::string deleted_uid;  // then
  };
  using Objects = std::map<std::string, Ptr>;

  static Ptr At(const Objects& objects, const std::string& name) {
    const auto found = objects.find(name);
    return found == objects.end() ? nullptr : found->second;
  }
  static bool IsAhead(const Own& own, const Ptr& after) {
    if (after == nullptr) return false;
    if (own.object == nullptr) return after->uid == own.deleted_uid && !after->deleting;
    return std::stoi(after->version.value) < std::stoi(own.object->version.value);
  }

  int& writes_;
  Objects server_, cache_;
  std::map<std::string, Own> own_;
  std::deque<std::pair<std::string, Ptr>> events_;
};

}  // namespace fedra::reconcile::testing
