#include "manager/cli/judged/connect_error.h"

#include <utility>

#include "base/text.h"
#include "manager/verify/existence.h"
#include "verdict/quoted.h"

namespace fedra::cli {
verdict::Reason NotReached(const ConnectionState& connection,
                           std::optional<std::chrono::milliseconds> tried) {
  verdict::Reason reason = verify::ConnectionReason(connection);
  verdict::Connection facts;
  if (tried) facts.tried_for_ms = tried->count();
  if (connection.phase == ConnectionPhase::kUnreachable) {
    facts.state = verdict::Connection::State::kNotReached;
    if (connection.why) facts.error = Cut(connection.why->message, verdict::kMaxQuoted);
    reason.facts = std::move(facts);
  } else if (connection.phase == ConnectionPhase::kConnecting) {
    facts.state = verdict::Connection::State::kNoAnswer;
    reason.facts = std::move(facts);
  }
  return reason;
}

}  // namespace fedra::cli
