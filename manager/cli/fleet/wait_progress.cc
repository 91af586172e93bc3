#include "manager/cli/fleet/wait_progress.h"

#include <ostream>

#include <fmt/format.h>

namespace fedra::cli {
namespace {

constexpr std::chrono::milliseconds kSilent{2000};

}  // namespace

WaitProgress::~WaitProgress() {
  if (told_) terminal_.err << "\r\033[K";
}

void WaitProgress::Show(size_t answered, size_t all, std::chrono::milliseconds waited) {
  if (!terminal_.out_is_tty || waited <= kSilent) return;
  terminal_.err << fmt::format("\r{} of {} workers have answered", answered, all) << std::flush;
  told_ = true;
}

}  // namespace fedra::cli
