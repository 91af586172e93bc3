#pragma once
//
// Maps from a key to a set, without empty sets. Pure.

namespace fedra::reconcile {

// Takes `member` out of the set of `key`, and the set with it when it is the last.
template <class Map, class Key, class Member>
void EraseFrom(Map& map, const Key& key, const Member& member) {
  const auto found = map.find(key);
  if (found == map.end()) return;
  found->second.erase(member);
  if (found->second.empty()) map.erase(found);
}

}  // namespace fedra::reconcile
