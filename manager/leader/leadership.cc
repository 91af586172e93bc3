#include "manager/leader/leadership.h"

namespace fedra::leader {

std::optional<http::WriteGate::Permit> Leadership::Ask() const {
  const BootTime until = until_;
  const BootTime now = BootClock::now();
  if (now >= until) return std::nullopt;
  const auto left = std::chrono::floor<std::chrono::milliseconds>(until - now);
  return Permit{left, server_limit_};
}

}  // namespace fedra::leader
