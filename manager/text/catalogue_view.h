#pragma once
//
// What `fedra explain` shows of all words, and of one: reasons, states and events. Pure.

#include <string>

#include "manager/report/catalogue.h"
#include "manager/text/output.h"

namespace fedra::text {

// A word's title, its meaning, and what can be done.
std::string Explained(const verdict::ReasonEntry& entry, const Style& style);
std::string Explained(const report::StateEntry& entry, const Style& style);
std::string Explained(const placement::notes::NoteReason& note, const Style& style);

// All of them; a line each in a table.
Output RenderCatalogue(Format format, const Style& style);

}  // namespace fedra::text
