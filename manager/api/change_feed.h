#pragma once
//
// Passes on what the store has written, to all who follow.
//
// Thread rules: any thread; followers are called on the store's writer and must be quick. Lifetime:
// after Leave the follower is not called any more.

#include <cstddef>
#include <functional>
#include <map>
#include <utility>

#include "base/guarded.h"
#include "store/written.h"

namespace fedra::api {

class ChangeFeed final {
 public:
  using Follower = std::function<void(const store::Written& written)>;

  // The number that Leave takes.
  size_t Follow(Follower follower) {
    return followers_.With([&](Followers& all) {
      all.by_number.emplace(++all.last, std::move(follower));
      return all.last;
    });
  }
  void Leave(size_t number) {
    followers_.With([&](Followers& all) { all.by_number.erase(number); });
  }
  void Pass(const store::Written& written) const {
    if (written.empty()) return;
    followers_.With([&](const Followers& all) {
      for (const auto& [number, follower] : all.by_number) follower(written);
    });
  }

 private:
  struct Followers {
    std::map<size_t, Follower> by_number;
    size_t last = 0;
  };
  Guarded<Followers> followers_;  // locked before what a follower locks
};

}  // namespace fedra::api
