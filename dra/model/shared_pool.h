#pragma once
//
// SharedPool: one immutable object per content, as long as it is referenced.
//
// Thread rules: not thread-safe; the objects given out are immutable and outlive the pool.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>

namespace fedra::dra {

template <class T>
class SharedPool final {
 public:
  // An object equal to `value`: an earlier one if there is one. `hash` is any function of the
  // content.
  std::shared_ptr<const T> Intern(T value, uint64_t hash) {
    const auto [first, last] = objects_.equal_range(hash);
    for (auto at = first; at != last; ++at) {
      if (auto object = at->second.lock(); object && *object == value) return object;
    }
    if (objects_.size() >= next_cleanup_) DropUnused();
    auto object = std::make_shared<const T>(std::move(value));
    objects_.emplace(hash, object);
    return object;
  }

 private:
  void DropUnused() {
    std::erase_if(objects_, [](const auto& entry) { return entry.second.expired(); });
    next_cleanup_ = std::max<size_t>(256, objects_.size() * 2);
  }

  std::unordered_multimap<uint64_t, std::weak_ptr<const T>> objects_;
  size_t next_cleanup_ = 256;
};

}  // namespace fedra::dra
