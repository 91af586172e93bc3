#pragma once
//
// What was found out lately, by key: at most so many, the one that was used least recently goes
// first, and none is older than it may be.
//
// Thread rules: one thread at a time.

#include <cstddef>
#include <list>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/clock.h"

namespace fedra::access {

template <class T>
class Recent final {
 public:
  explicit Recent(size_t most) : most_(most) {}

  // Null: nothing is known any more. Valid until the next call.
  T* Find(const std::string& key, SteadyTime now) {
    const auto found = places_.find(key);
    if (found == places_.end()) return nullptr;
    if (found->second->until <= now) {
      Forget(key);
      return nullptr;
    }
    entries_.splice(entries_.begin(), entries_, found->second);
    return &found->second->value;
  }

  // In place of what was known.
  T& Put(const std::string& key, T value, SteadyTime until) {
    Forget(key);
    while (!entries_.empty() && entries_.size() >= most_) {
      places_.erase(entries_.back().key);
      entries_.pop_back();
    }
    entries_.push_front({key, std::move(value), until});
    places_.emplace(key, entries_.begin());
    return entries_.front().value;
  }

  void Forget(const std::string& key) {
    const auto found = places_.find(key);
    if (found == places_.end()) return;
    entries_.erase(found->second);
    places_.erase(found);
  }

  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::string key;
    T value;
    SteadyTime until;
  };

  const size_t most_;
  std::list<Entry> entries_;  // the last used first
  std::unordered_map<std::string, typename std::list<Entry>::iterator> places_;
};

}  // namespace fedra::access
