#pragma once
//
// The line on a terminal that says how many clusters have answered, once that takes longer than two
// seconds.
//
// Thread rules: one thread. Lifetime: the terminal must outlive it.

#include <chrono>
#include <cstddef>

#include "manager/cli/terminal/terminal.h"

namespace fedra::cli {

class WaitProgress final {
 public:
  explicit WaitProgress(const Terminal& terminal) : terminal_(terminal) {}
  ~WaitProgress();
  WaitProgress(const WaitProgress&) = delete;
  WaitProgress& operator=(const WaitProgress&) = delete;

  // "2 of 3 workers have answered"
  void Show(size_t answered, size_t all, std::chrono::milliseconds waited);

 private:
  const Terminal& terminal_;
  bool told_ = false;
};

}  // namespace fedra::cli
