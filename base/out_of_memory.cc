#include "base/out_of_memory.h"

#include <unistd.h>

#include <new>
#include <string_view>

namespace fedra {
namespace {

constexpr std::string_view kNoMemory =
    "fedra: out of memory: no more may be had (ulimit -v, LimitAS=)\n";
constexpr std::string_view kNoThread =
    "fedra: out of memory: no thread can be started (ulimit -v and -u, LimitAS=, TasksMax=)\n";

// Takes no memory, and runs nothing of what the process leaves.
[[noreturn]] void EndSaying(std::string_view line) {
  // There is no other place to report that it cannot be written.
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
  _exit(kOutOfMemoryCode);
}

}  // namespace

void EndWhenOutOfMemory() {
  std::set_new_handler([] { EndSaying(kNoMemory); });
}

void EndWithoutThread() { EndSaying(kNoThread); }

}  // namespace fedra
