#include "verdict/remedy.h"

#include <algorithm>
#include <variant>

namespace fedra::verdict {
namespace {

std::string_view RemedyOfTemplate(Missing::Copy copy) {
  switch (copy) {
    case Missing::Copy::kNowhere:
      return "Create the template in the job's namespace on the worker, or on the manager if fedra "
             "is to copy it (verification.templates.sync, docs/templates.md). The job is "
             "dispatched at once, without a restart or resubmission.";
    case Missing::Copy::kRefused:
      return "Mend what the worker says against the copy of the manager's template, or create the "
             "template there, in the job's namespace. The job is dispatched at once, without a "
             "restart or resubmission.";
    case Missing::Copy::kAssumed:  // as the user asked for
    case Missing::Copy::kComes:
      return {};
    case Missing::Copy::kNone:
    case Missing::Copy::kUnknown:
    case Missing::Copy::kForbidden:
      break;
  }
  return RemedyOf(ReasonCode::kTemplateMissing);
}

}  // namespace

std::string_view RemedyOf(ReasonCode code) {
  const auto entries = ReasonCatalogue();
  const auto entry = std::ranges::find(entries, code, &ReasonEntry::code);
  return entry == entries.end() ? std::string_view() : entry->remedy;
}

std::string_view RemedyOf(const Reason& reason) {
  const Missing* missing = std::get_if<Missing>(&reason.facts);
  if (reason.code == ReasonCode::kTemplateMissing && missing != nullptr && !missing->being_deleted)
    return RemedyOfTemplate(missing->copy);
  return RemedyOf(reason.code);
}

}  // namespace fedra::verdict
