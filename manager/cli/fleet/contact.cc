#include "manager/cli/fleet/contact.h"

#include <fmt/format.h>

#include "base/text.h"
#include "base/time.h"
#include "manager/verify/existence.h"

namespace fedra::cli {
namespace {

constexpr size_t kMaxWords = 200;

std::string WhenTried(std::optional<std::chrono::milliseconds> tried) {
  if (!tried) return " when the snapshot was taken";
  // A refusal comes at once, and nothing is learned from "0s".
  return *tried < std::chrono::seconds(1) ? "" : fmt::format(" (tried for {})", FormatAge(*tried));
}

}  // namespace

verdict::Reason NotReached(const ConnectionState& connection,
                           std::optional<std::chrono::milliseconds> tried) {
  verdict::Reason reason = verify::ConnectionReason(connection);
  if (connection.phase == ConnectionPhase::kUnreachable) {
    const std::string why = connection.why ? Cut(connection.why->message, kMaxWords) : "no answer";
    reason.message = fmt::format("not reached{}: {}", WhenTried(tried), why);
  } else if (connection.phase == ConnectionPhase::kConnecting) {
    reason.message =
        fmt::format("no answer{}{}", WhenTried(tried), tried ? "; --timeout waits longer" : "");
  }
  return reason;
}

}  // namespace fedra::cli
