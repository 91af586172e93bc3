#pragma once
//
// `migrate --check` for people and for programs. Pure.

#include <span>
#include <vector>

#include "manager/cli/migration/forecast.h"
#include "manager/cli/migration/preparation.h"
#include "manager/report/as_of.h"
#include "manager/text/output.h"

namespace fedra::cli {

struct Migration {
  Direction direction = Direction::kToFedra;
  std::vector<Forecast> forecasts;  // sorted
  std::vector<ToDo> todos;
  std::vector<report::UnreadWorker> unread;
};

enum class Loss { kNone, kSome, kNotKnown };
// What is lost, or what must be done first lest something is.
Loss LossOf(const Migration& migration);

text::Output RenderMigration(const Migration& migration, const report::AsOf& as_of,
                             text::Format format, const text::Style& style);

}  // namespace fedra::cli
