#include "manager/report/job_documents.h"

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "manager/report/line.h"
#include "manager/report/next_step.h"
#include "manager/report/row_facts.h"
#include "manager/report/row_json.h"
#include "manager/report/row_states.h"
#include "manager/report/setbacks.h"

namespace fedra::report {
namespace {

using nlohmann::ordered_json;
using store::VerdictRow;
using verdict::Outcome;

ordered_json NextJson(const NextStep& next) {
  ordered_json remedies = ordered_json::array();
  for (const ReasonCount& count : next.remedies) {
    if (!count.remedy.empty())
      remedies.push_back(
          {{"code", count.code}, {"workers", count.workers}, {"remedy", count.remedy}});
  }
  return {{"text", next.text}, {"commands", next.commands}, {"remedies", std::move(remedies)}};
}

// With what waiting would do: "Waits", "Never" or "Unclear"; only beside a No.
ordered_json JudgedJson(const VerdictRow& row) {
  ordered_json object = ToJson(row);
  if (OutcomeOf(row) != Outcome::kNo) return object;
  switch (ProspectOf(row)) {
    case verify::Prospect::kWaits:
      object["prospect"] = "Waits";
      break;
    case verify::Prospect::kNever:
      object["prospect"] = "Never";
      break;
    case verify::Prospect::kUnclear:
      object["prospect"] = "Unclear";
      break;
  }
  return object;
}

ordered_json WhyJson(const WorkloadData& data, const WorkloadData::Incarnation& incarnation,
                     const Query& query) {
  ordered_json item = ToJson(incarnation.row);
  const FindJob find = [&](const std::string& name) -> const store::WorkloadRow* {
    const auto first = incarnation.first.find(name);
    return first == incarnation.first.end() ? nullptr : &first->second.row;
  };
  if (!incarnation.places.empty()) item["line"] = LineJson(incarnation.places, find);
  item["workers"] = ordered_json::array();
  const std::vector<VerdictRow> verdicts = VerdictsNow(incarnation, query.now);
  for (const VerdictRow& row : verdicts) item["workers"].push_back(JudgedJson(row));
  item["next"] = NextJson(NextStepOf(data, incarnation, verdicts, query));
  return item;
}

ordered_json WorkloadJson(const WorkloadData::Incarnation& incarnation, const Query& query) {
  ordered_json item = ToJson(incarnation.row);
  item["workers"] = ordered_json::array();
  for (const store::VerdictRow& row : VerdictsNow(incarnation, query.now))
    item["workers"].push_back(ToJson(row));
  item["attempts"] = ordered_json::array();
  for (const store::AttemptRow& row : incarnation.attempts) item["attempts"].push_back(ToJson(row));
  return item;
}

ordered_json HistoryJson(const WorkloadData::Incarnation& incarnation) {
  ordered_json item = ToJson(incarnation.row);
  item["events"] = ordered_json::array();
  for (const store::EventRow& row : incarnation.events) item["events"].push_back(ToJson(row));
  item["attempts"] = ordered_json::array();
  for (const store::AttemptRow& row : incarnation.attempts) item["attempts"].push_back(ToJson(row));
  return item;
}

// Without jobs yet.
ordered_json JobsDocument(std::string_view kind, const auto& data, const Query& query) {
  ordered_json document = Document(kind, data.daemon, data.manager, query.now);
  document["jobs"] = ordered_json::array();
  return document;
}

}  // namespace

ordered_json WhyDocument(const WorkloadData& data, const Query& query) {
  ordered_json document = JobsDocument("WhyReport", data, query);
  for (const auto* incarnation : Current(data))
    document["jobs"].push_back(WhyJson(data, *incarnation, query));
  return document;
}

ordered_json WhyDocument(const StatusData& fleet, std::span<const WorkloadData> jobs,
                         const Query& query) {
  ordered_json document = JobsDocument("WhyReport", fleet, query);
  for (const WorkloadData& data : jobs)
    for (const auto* incarnation : Current(data))
      document["jobs"].push_back(WhyJson(data, *incarnation, query));
  return document;
}

ordered_json HistoryDocument(const WorkloadData& data, const Query& query) {
  ordered_json document = JobsDocument("HistoryReport", data, query);
  for (const auto* incarnation : Chronological(data))
    document["jobs"].push_back(HistoryJson(*incarnation));
  return document;
}

ordered_json JobDocument(const WorkloadData& data, const Query& query) {
  ordered_json document = JobsDocument("JobReport", data, query);
  for (const auto* incarnation : Current(data))
    document["jobs"].push_back(WorkloadJson(*incarnation, query));
  return document;
}

}  // namespace fedra::report
