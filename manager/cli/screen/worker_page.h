#pragma once
//
// A worker as the document of the workers has it: its cells, and all that is known of it as a page.
// Pure.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/clock.h"
#include "manager/cli/screen/document.h"
#include "manager/cli/screen/frame.h"

namespace fedra::cli::screen {

// "Connected", or "Connected, Drain" of one that is taken out of service.
std::string StateOfWorker(const nlohmann::json& worker);
text::Tone ToneOfWorker(const nlohmann::json& worker);
// Why it is in its state, and what else is said of it.
std::string NoteOfWorker(const nlohmann::json& worker);
// How many are there; "-" where that is not known.
std::string JobsOfWorker(const nlohmann::json& worker);

// Of the worker that is the question's subject; that there is none, where there is none.
std::vector<Line> WorkerPage(const nlohmann::json& document, const Question& question, WallTime now,
                             bool utf8);

}  // namespace fedra::cli::screen
