#include "manager/cli/migration/migration_view.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "manager/text/as_of_text.h"
#include "manager/text/display_text.h"

namespace fedra::cli {
namespace {

using Json = nlohmann::ordered_json;
using text::Tone;

Tone ToneOf(Outcome outcome) {
  if (IsLoss(outcome)) return Tone::kBad;
  if (outcome == Outcome::kNotKnown || outcome == Outcome::kDispatched) return Tone::kWarning;
  return outcome == Outcome::kGoesOn ? Tone::kGood : Tone::kPlain;
}

struct OutcomeLabels {
  std::string_view in_table;  // of one job
  std::string_view counted;   // behind the number of jobs
};

OutcomeLabels OutcomeLabelsOf(Outcome outcome) {
  switch (outcome) {
    case Outcome::kGoesOn:
      return {"goes on", "going on as they are"};
    case Outcome::kEnds:
      return {"has ended", "ended, which is mirrored"};
    case Outcome::kWaits:
      return {"waits", "waiting as before"};
    case Outcome::kDispatched:
      return {"dispatched anew", "dispatched anew (nothing of them runs)"};
    case Outcome::kRestarts:
      return {"restarts", "started again from the beginning"};
    case Outcome::kRejected:
      return {"rejected", "rejected"};
    case Outcome::kLeftBehind:
      return {"left behind", "left behind"};
    case Outcome::kRunsTwice:
      return {"runs twice", "running in two places"};
    case Outcome::kNotKnown:
      break;
  }
  return {"unknown", "not known"};
}

size_t CountOf(const Migration& migration, Outcome outcome) {
  return static_cast<size_t>(std::ranges::count(migration.forecasts, outcome, &Forecast::outcome));
}

std::string NameOf(const Forecast& forecast) {
  if (forecast.kind.empty()) return "Workload " + forecast.workload.ToString();
  return fmt::format("{} {}/{}", forecast.kind, forecast.workload.ns, forecast.job);
}

Json ToJson(const CopySeen& copy) {
  Json item = {{"worker", copy.worker.value}};
  if (!copy.clone_uid.empty())
    item["workload"] = {{"uid", copy.clone_uid},
                        {"ownership", tracking::ToString(copy.clone_is)},
                        {"admitted", copy.admitted}};
  if (!copy.job_uid.empty())
    item["job"] = {{"uid", copy.job_uid}, {"ownership", tracking::ToString(copy.job_is)}};
  item["removed"] = copy.removed;
  return item;
}

Json ToJson(const Forecast& forecast) {
  Json item = {{"namespace", forecast.workload.ns},
               {"workload", forecast.workload.name},
               {"workloadUid", forecast.workload_uid},
               {"kind", forecast.kind},
               {"name", forecast.job},
               {"outcome", ToString(forecast.outcome)},
               {"worker", forecast.worker.value},
               {"why", forecast.why},
               {"copies", Json::array()}};
  for (const CopySeen& copy : forecast.copies) item["copies"].push_back(ToJson(copy));
  return item;
}

Json ToDocument(const Migration& migration, const report::AsOf& as_of) {
  Json document = report::Document("MigrationReport", as_of);
  document["direction"] = ToString(migration.direction);
  document["counts"] = Json::object();
  for (const Outcome outcome : kOutcomes)
    document["counts"][std::string(ToString(outcome))] = CountOf(migration, outcome);
  document["before"] = Json::array();
  for (const ToDo& todo : migration.todos)
    document["before"].push_back({{"text", todo.text}, {"blocks", todo.blocks}});
  document["workloads"] = Json::array();
  for (const Forecast& forecast : migration.forecasts)
    document["workloads"].push_back(ToJson(forecast));
  report::PutUnread(document, migration.unread);
  return document;
}

std::string ToDoText(const Migration& migration, const text::Style& style) {
  std::string rendered;
  for (const bool blocks : {true, false}) {
    const char* label = blocks ? "first" : "then";
    for (const ToDo& todo : migration.todos) {
      if (todo.blocks != blocks) continue;
      rendered += text::LabelledLine(label, todo.text, style);
      label = "";
    }
  }
  return rendered;
}

// "4 jobs: 1 left behind, 3 going on as they are"
std::string Summary(const Migration& migration) {
  std::string summary = Counted(migration.forecasts.size(), "job");
  std::string_view before = ": ";
  for (const Outcome outcome : kOutcomes) {
    const size_t count = CountOf(migration, outcome);
    if (count == 0) continue;
    summary += fmt::format("{}{} {}", before, count, OutcomeLabelsOf(outcome).counted);
    before = ", ";
  }
  return summary;
}

std::string LastLine(const Migration& migration) {
  const std::string_view to = migration.direction == Direction::kToFedra
                                  ? "when fedra takes over"
                                  : "when MultiKueue takes back";
  switch (LossOf(migration)) {
    case Loss::kNone:
      return fmt::format("Nothing is lost {}.", to);
    case Loss::kNotKnown:
      return fmt::format("What happens {} is not completely known.", to);
    case Loss::kSome:
      break;
  }
  if (CountOf(migration, Outcome::kRunsTwice) > 0)
    return fmt::format(
        "Jobs would run in two places at once {}: what to do first stands beside "
        "each.",
        to);
  return std::ranges::any_of(migration.forecasts, IsLoss, &Forecast::outcome)
             ? fmt::format("Something would be lost {}.", to)
             : fmt::format("Something must be done first, or it would be lost {}.", to);
}

}  // namespace

Loss LossOf(const Migration& migration) {
  const bool loses = std::ranges::any_of(migration.forecasts, IsLoss, &Forecast::outcome);
  if (loses || std::ranges::any_of(migration.todos, &ToDo::blocks)) return Loss::kSome;
  const bool open = CountOf(migration, Outcome::kNotKnown) > 0 || !migration.unread.empty();
  return open ? Loss::kNotKnown : Loss::kNone;
}

text::Output RenderMigration(const Migration& migration, const report::AsOf& as_of,
                             text::Format format, const text::Style& style) {
  text::Output output;
  output.note = text::UnreadText(migration.unread, style);
  if (!text::IsTable(format)) {
    output.out = text::ToText(ToDocument(migration, as_of), format);
    return output;
  }
  text::Table table({"JOB", "WORKER", "WHAT HAPPENS", "DETAIL"}, text::Overflow::kWrap);
  for (const Forecast& forecast : migration.forecasts) {
    table.Add({NameOf(forecast),
               text::OrDash(forecast.worker.value),
               {std::string(OutcomeLabelsOf(forecast.outcome).in_table), ToneOf(forecast.outcome)},
               forecast.why});
  }
  if (!table.empty()) output.out = table.Render(style) + "\n";
  output.out += ToDoText(migration, style);
  output.out += text::Paragraph(Summary(migration), 0, style);
  output.out += text::Paragraph(LastLine(migration), 0, style);
  return output;
}

}  // namespace fedra::cli
