#include "manager/daemon/signals.h"

#include <ctime>

namespace fedra {

sigset_t BlockSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, number);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return signals;
}

int WaitForSignal(const sigset_t& signals, std::chrono::milliseconds limit) {
  const timespec timeout{0, static_cast<long>(limit.count()) * 1'000'000};
  const int number = sigtimedwait(&signals, nullptr, &timeout);
  return number > 0 ? number : 0;
}

bool IsToEnd() {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1;
}

}  // namespace fedra
