#pragma once
//
// Steps: bounds work that neither the cost model of cel-go nor the memory limit sees.
//
// Values and static types share their parts: eight nested `[x, x, ...]` of ten elements each are
// eighty words of memory and a hundred million elements for code that visits them one by one. Every
// such visit takes a step; when none is left it stops and what it returns means nothing, so the
// code that owns the steps must look at exhausted() and end with an error.
//
// Thread rules: plain value.

#include <cstdint>

namespace fedra::cel {

class Steps final {
 public:
  explicit constexpr Steps(uint64_t limit) : left_(limit) {}

  // False, from then on for ever, when fewer than `count` steps were left.
  bool Take(uint64_t count = 1) {
    if (exhausted_ || count > left_) {
      exhausted_ = true;
      return false;
    }
    left_ -= count;
    return true;
  }
  bool exhausted() const { return exhausted_; }

 private:
  uint64_t left_;
  bool exhausted_ = false;
};

}  // namespace fedra::cel
