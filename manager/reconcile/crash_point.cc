#include "manager/reconcile/crash_point.h"

#include <csignal>
#include <cstdlib>

namespace fedra::reconcile {

void CrashPoint(std::string_view name) {
  static const char* const chosen = std::getenv("FEDRA_TEST_CRASH_AT");
  if (chosen != nullptr && name == chosen) std::raise(SIGKILL);
}

}  // namespace fedra::reconcile
