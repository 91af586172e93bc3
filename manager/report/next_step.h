#pragma once
//
// What a job waits for, and what a person can do about it. Pure.

#include <string>
#include <vector>

#include "manager/report/query.h"
#include "manager/report/row_facts.h"
#include "manager/report/status_model.h"

namespace fedra::report {

// What happens next with a job, and what a person can do.
struct NextStep {
  std::string text;                   // empty: nothing is to be said
  std::vector<std::string> commands;  // that show more
  std::vector<ReasonCount> remedies;  // of these reasons
};

// `verdicts`: as they are now, see VerdictsNow().
NextStep NextStepOf(const WorkloadData& data, const WorkloadData::Incarnation& incarnation,
                    const std::vector<store::VerdictRow>& verdicts, const Query& query);

}  // namespace fedra::report
