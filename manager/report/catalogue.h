#pragma once
//
// The words in fedra's answers for programs: reasons, states and events, each with what it means.
// What `fedra explain` prints as JSON, and the API's `reasons`. Pure.

#include <nlohmann/json_fwd.hpp>

#include "manager/placement/note_reasons.h"
#include "manager/report/states.h"
#include "verdict/reason_code.h"

namespace fedra::report {

// One word: a Reason, a State, an EventReason.
nlohmann::ordered_json WordDocument(const verdict::ReasonEntry& entry);
nlohmann::ordered_json WordDocument(const StateEntry& entry);
nlohmann::ordered_json WordDocument(const placement::notes::NoteReason& note);
// ReasonList: all of them.
nlohmann::ordered_json CatalogueDocument();

}  // namespace fedra::report
