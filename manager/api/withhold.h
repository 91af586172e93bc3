#pragma once
//
// Takes out of rows what their reader may not see, before anything is made of them: then no form of
// an answer, and no order or filter, can tell of it.
//
// Reasons are facts, so names are taken out of them and they are put into words again. Prose (an
// error, a line of the history) that mentions a namespace which is hidden is withheld as a whole.
//
// Pure. Rows of hidden jobs are gone already: Reader::ShowOnly.

#include <set>
#include <string>

#include "manager/api/viewer.h"
#include "manager/report/job_report.h"
#include "manager/report/status_model.h"

namespace fedra::api {

// In place of prose, and of facts.
inline constexpr const char* kWithheld = "(withheld: your rights do not cover it)";

// `hidden`: the namespaces that are known and that the viewer may not see.
void Withhold(const Viewer& viewer, const std::set<std::string>& hidden, report::StatusData& data);
void Withhold(const Viewer& viewer, const std::set<std::string>& hidden,
              report::WorkloadData& data);

// Of the verdicts on a job that the viewer asks about.
void Withhold(const Viewer& viewer, const std::set<std::string>& hidden, report::JobReport& report);

}  // namespace fedra::api
