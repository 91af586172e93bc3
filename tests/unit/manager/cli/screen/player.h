#pragma once
//
// A user at the screen: keys in, frames out. What is asked is answered from the fleet of
// tests/unit/manager/report/rows.h, as documents, or with a short coloured text.

#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "manager/cli/screen/render.h"
#include "manager/cli/screen/update.h"
#include "tests/unit/manager/text/from_rows.h"
#include "tests/unit/manager/text/settings.h"

namespace fedra::cli::screen {

// What text::RenderWhy and the like would give: lines, one of them in red.
inline std::string TextAnswer(const Question& question) {
  return question.subject +
         " is blocked (for 4m; as of 2s ago)\n"
         "WORKER    VERDICT\n"
         "gpu-east  \033[31mNo\033[0m       TemplateMissing: ResourceClaimTemplate ml/one-gpu does "
         "not exist there\n"
         "gpu-west  \033[31mNo\033[0m       TemplateMissing: ResourceClaimTemplate ml/one-gpu does "
         "not exist there\n";
}

inline text::Output OutputFor(const Question& question, const report::FleetRows& data) {
  text::ViewSettings settings = text::Settings(text::Format::kJson);
  if (question.what == What::kGroups) settings.query.jobs.grouping = question.group_by;
  if (question.group_by == store::JobGrouping::kState && question.what == What::kJobs)
    settings.query.jobs.states = {question.group};
  if (question.group_by == store::JobGrouping::kWorker && question.what == What::kJobs)
    settings.query.jobs.workers = {question.group};
  settings.query.jobs.name = question.name;
  if (question.sort_by) settings.query.jobs.order = *question.sort_by;
  settings.query.jobs.limit = question.limit;
  settings.query.jobs.all = question.all;
  switch (question.what) {
    case What::kGroups:
      return text::from_rows::RenderJobCounts(data, settings);
    case What::kJobs:
      return text::from_rows::RenderJobs(data, settings);
    case What::kWorkers:
    case What::kWorker:
      return text::from_rows::RenderWorkers(data, settings);
    default:
      return {TextAnswer(question), {}};
  }
}

// "<Enter>" and the like.
inline Key NamedKey(std::string_view name) {
  static const std::map<std::string_view, KeyCode> codes = {
      {"Enter", KeyCode::kEnter},    {"Esc", KeyCode::kEscape},   {"Tab", KeyCode::kTab},
      {"Back", KeyCode::kBackspace}, {"Up", KeyCode::kUp},        {"Down", KeyCode::kDown},
      {"Left", KeyCode::kLeft},      {"Right", KeyCode::kRight},  {"PgUp", KeyCode::kPageUp},
      {"PgDn", KeyCode::kPageDown},  {"Home", KeyCode::kHome},    {"End", KeyCode::kEnd},
      {"Erase", KeyCode::kErase},    {"Redraw", KeyCode::kRedraw}};
  return {codes.at(name)};
}

struct Player {
  explicit Player(Size size = {80, 24}, What first = What::kGroups) {
    model.size = size;
    model.now = report::kNow;
    Seen(model).question.what = first;
    if (first == What::kGroups) Seen(model).question.group_by = store::JobGrouping::kState;
    if (first == What::kJobs) Seen(model).question.limit = kPage;
    Seen(model).opened_at = model.now;
    Answered();
  }

  // "jj<Enter>/x<Esc>". What is asked then is answered after each key.
  Player& Press(std::string_view keys) {
    while (!keys.empty()) {
      const size_t end = keys.front() == '<' ? keys.find('>') : 0;
      Happen(end > 0 ? NamedKey(keys.substr(1, end - 1)) : KeyOf(keys.substr(0, 1)));
      keys.remove_prefix(end + 1);
      if (answers) Answered();
    }
    return *this;
  }

  Player& Happen(const Event& event) {
    model = Update(std::move(model), event);
    return *this;
  }

  // From `data`, as of now.
  Player& Answered() {
    const auto question = Wanted(model);
    if (!question) return *this;
    auto document = ReadDocument(*question, OutputFor(*question, data), model.now, model.utf8);
    return Happen(Answer{*question, model.now,
                         std::make_shared<const Document>(std::move(document).value())});
  }

  Player& Failed(const std::string& message) {
    return Happen(Answer{Wanted(model).value(), model.now, Fail(ErrorCode::kConnection, message)});
  }

  // Without tones and without spaces at the ends of lines; a line end behind each.
  std::string Screen() const {
    std::string screen;
    for (const Line& line : Render(model)) {
      std::string text = TextOf(line);
      text.erase(text.find_last_not_of(' ') + 1);
      screen += text + "\n";
    }
    return screen;
  }

  // The same; three empty lines and more are one that says how many.
  std::string Folded() const {
    std::string folded;
    std::istringstream lines(Screen());
    size_t empty = 0;
    const auto fold = [&] {
      folded += empty < 3 ? std::string(empty, '\n') : fmt::format("~ {} empty lines\n", empty);
      empty = 0;
    };
    for (std::string line; std::getline(lines, line);) {
      if (line.empty()) {
        ++empty;
        continue;
      }
      fold();
      folded += line + "\n";
    }
    fold();
    return folded;
  }

  std::string Selected() const { return Seen(model).selected; }

  report::FleetRows data = report::FleetStatus();
  bool answers = true;
  Model model;
};

}  // namespace fedra::cli::screen
