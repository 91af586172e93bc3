#pragma once
//
// Which version of which object is held, and how a list replaces that in one step.
//
// What a list names stays, even when its new version cannot be read: a hole would look like a
// deletion. An object whose version and UID are held already need not be read again.
//
// Thread rules: none of its own.

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/types.h"
#include "cluster-clients/watch/list_bounds.h"
#include "cluster-clients/watch/meta.h"

namespace fedra::watch {

template <class Payload>
class RelistTracker final {
 public:
  struct Entry {
    ResourceVersion version;
    std::string uid;
    size_t bytes = 0;  // of the object's JSON text
    Payload payload{};
  };
  using Entries = std::unordered_map<ObjectKey, Entry>;

  // A list begins; what arrived of an earlier one is dropped.
  void Begin() {
    listing_ = true;
    arriving_ = {};
  }
  bool listing() const { return listing_; }

  // An object has arrived. True: this version of it is held.
  bool Note(const Meta& meta) {
    const auto found = known_.entries.find(meta.key);
    if (found == known_.entries.end()) return false;
    const Entry& entry = found->second;
    if (listing_) arriving_.Put(meta.key, entry);
    return entry.version == meta.version && entry.uid == meta.uid;
  }

  // Takes an object that was read. While listing it is held apart until Finish().
  void Put(Meta meta, size_t bytes, Payload payload) {
    (listing_ ? arriving_ : known_)
        .Put(meta.key, {std::move(meta.version), std::move(meta.uid), bytes, std::move(payload)});
  }

  // What was held; nothing when it was not.
  std::optional<Payload> Remove(const ObjectKey& key) { return known_.Take(key); }

  // The list is complete: what it named is what is held now. Returns what was held before; nothing
  // when no list had begun.
  std::optional<Entries> Finish() {
    if (!std::exchange(listing_, false)) return std::nullopt;
    return std::exchange(known_, std::exchange(arriving_, {})).entries;
  }

  const Entry* Find(const ObjectKey& key) const {
    const auto found = known_.entries.find(key);
    return found == known_.entries.end() ? nullptr : &found->second;
  }
  const Entries& entries() const { return known_.entries; }
  Held held() const {
    const Set& set = listing_ ? arriving_ : known_;
    return {set.entries.size(), set.bytes};
  }

 private:
  struct Set {
    Entries entries;
    size_t bytes = 0;

    void Put(const ObjectKey& key, Entry entry) {
      const auto place = entries.try_emplace(key).first;
      bytes += entry.bytes - place->second.bytes;
      place->second = std::move(entry);
    }
    std::optional<Payload> Take(const ObjectKey& key) {
      const auto found = entries.find(key);
      if (found == entries.end()) return std::nullopt;
      bytes -= found->second.bytes;
      Payload payload = std::move(found->second.payload);
      entries.erase(found);
      return payload;
    }
  };

  Set known_;
  bool listing_ = false;
  Set arriving_;  // the list
};

}  // namespace fedra::watch
