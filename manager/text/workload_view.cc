#include "manager/text/workload_view.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "manager/report/job_documents.h"
#include "manager/report/row_facts.h"
#include "manager/report/row_states.h"
#include "manager/text/status_format.h"

namespace fedra::text {
namespace {

std::string Facts(const store::WorkloadRow& row, const ViewSettings& settings) {
  std::string text;
  const auto add = [&](std::string_view name, const std::string& value) {
    if (!value.empty())
      text += fmt::format("{:<10}{}\n", name, Toned(value, Tone::kPlain, settings.style));
  };
  add("needs", report::NeedsText(row));
  add("kind", row.job_kind);
  add("workload", fmt::format("{} ({})", row.key.ToString(), row.uid));
  add("created", Since(row.created_at, settings.query.now) + " ago");
  if (row.finished_at) add("finished", Since(*row.finished_at, settings.query.now) + " ago");
  return text;
}

std::string WorkloadText(const report::WorkloadData& data,
                         const report::WorkloadData::Incarnation& incarnation,
                         const ViewSettings& settings) {
  std::string text = Headline(data, incarnation, settings) + Facts(incarnation.row, settings);
  const Table attempts = AttemptTable(incarnation.attempts, settings);
  if (!attempts.empty()) text += attempts.Render(settings.style);
  const store::WorkloadRow& row = incarnation.row;
  if (report::PhaseOf(row) == placement::Phase::kBlocked && !row.removed_at)
    text += fmt::format("{:<10}fedra why {}\n", "more", row.job.ToString());
  return text;
}

}  // namespace

Output RenderWorkload(const report::WorkloadData& data, const ViewSettings& settings) {
  if (IsForPrograms(settings.format))
    return {ToText(report::JobDocument(data, settings.query), settings.format), {}};
  const auto text = [&](const report::WorkloadData::Incarnation& incarnation) {
    return WorkloadText(data, incarnation, settings);
  };
  return RenderEach(data, report::Current(data), settings, text);
}

}  // namespace fedra::text
