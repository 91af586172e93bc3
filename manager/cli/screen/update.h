#pragma once
//
// What an event makes of the model, and what the model wants to know. Pure.

#include <optional>

#include "manager/cli/screen/model.h"

namespace fedra::cli::screen {

// Of a key: as of bindings.h. Of an answer: where its question is still asked. Never fails.
Model Update(Model model, const Event& event);

// What is to be asked, again and again; null: nothing.
std::optional<Question> Wanted(const Model& model);

}  // namespace fedra::cli::screen
