#pragma once
//
// Takes out of rows what their reader may not see, before anything is made of them: then no form of
// an answer, and no order or filter, can show it.
//
// Reasons are facts, so names are taken out of them and they are put into words again. Prose (an
// error, a line of the history) that mentions a namespace which is hidden is withheld as a whole.
//
// Pure, but for HiddenFrom(). Rows of hidden jobs are gone already: Reader::ShowOnly.

#include <set>
#include <string>

#include "base/result.h"
#include "manager/api/viewer.h"
#include "manager/report/job_report.h"
#include "manager/report/status_model.h"
#include "manager/templates/survey.h"
#include "store/reader.h"

namespace fedra::api {

// In place of prose, and of facts.
inline constexpr const char* kWithheld = "(withheld: your rights do not cover it)";

// The namespaces in which the store knows jobs, and which the viewer may not see, whatever the
// reader shows. An error is no empty set: without them nothing may be answered.
Result<std::set<std::string>> HiddenFrom(const Viewer& viewer, store::Reader& reader);

// `hidden`: as of HiddenFrom().
void Withhold(const Viewer& viewer, const std::set<std::string>& hidden, report::StatusData& data);
void Withhold(const Viewer& viewer, const std::set<std::string>& hidden,
              report::WorkloadData& data);

// What the daemon says of its configuration and of its replica is the fleet's.
void Withhold(const Viewer& viewer, store::HeartbeatRow& row);

// Which workload a copy of a template is made for.
void Withhold(const Viewer& viewer, templates::TemplateSurvey& survey);

// Of the verdicts on a job that the viewer asks about.
void Withhold(const Viewer& viewer, const std::set<std::string>& hidden, report::JobReport& report);

}  // namespace fedra::api
