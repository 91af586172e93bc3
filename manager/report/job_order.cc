#include "manager/report/job_order.h"

#include <limits>

#include <nlohmann/json.hpp>

#include "base/hash.h"
#include "manager/report/page_token.h"
#include "manager/report/row_states.h"

namespace fedra::report {
uint64_t Urgency(std::string_view state) {
  const PhaseView* view = ViewOf(state);
  return view == nullptr ? std::numeric_limits<uint64_t>::max()
                         : static_cast<uint64_t>(view->urgency);
}

std::string ContinueToken(const JobKey& key, const std::string& question) {
  const nlohmann::json parts = {HashHex(question), key.rank,       key.text, key.age, key.ns,
                                key.name,          key.created_at, key.uid};
  return PageToken(parts.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

Result<JobKey> KeyIn(const std::string& token, const std::string& question) {
  const auto text = TextOfPageToken(token);
  const auto parts = nlohmann::json::parse(text.value_or(""), nullptr, /*allow_exceptions=*/false);
  const auto is = [&](size_t at, auto test) { return (parts[at].*test)(); };
  constexpr auto kText = &nlohmann::json::is_string;
  constexpr auto kNumber = &nlohmann::json::is_number_integer;
  if (!parts.is_array() || parts.size() != 8 || !is(0, kText) || !is(1, kNumber) || !is(2, kText) ||
      !is(3, kNumber) || !is(4, kText) || !is(5, kText) || !is(6, kNumber) || !is(7, kText))
    return Fail(ErrorCode::kInvalidArgument, "this is no word of `continue` of an answer");
  if (parts[0] != HashHex(question))
    return Fail(ErrorCode::kInvalidArgument,
                "it belongs to another question: ask with the same filters and order, or begin "
                "without it");
  return JobKey{parts[1], parts[2], parts[3], parts[4], parts[5], parts[6], parts[7]};
}

}  // namespace fedra::report
