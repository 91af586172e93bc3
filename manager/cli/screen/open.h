#pragma once
//
// Opening views: from a row, from a view about the same job or worker, by a command. Each changes
// the model, or leaves a note why it cannot. Pure.

#include <string>
#include <string_view>

#include "manager/cli/screen/model.h"

namespace fedra::cli::screen {

// Above the view that is seen, or in the place of one of text: those of one job are beside each
// other, so that "back" leads to the list. `beside`: as of View.
void Open(Model& model, Question question, const std::string& beside = {});
// The one view that is left.
void OpenFirst(Model& model, Question question);
// What the enter key does: a group's jobs, a job's why, a worker's jobs.
void OpenRow(Model& model);
// Of the job, or the worker, of the selected row or of the view.
void OpenText(Model& model, What what);
void OpenWorkerHistory(Model& model);
void OpenHelp(Model& model);
// Where not all jobs are listed: those of all with the filter in their name, in its place.
void LookForName(Model& model);
// One view back, after the filter and the name; the first one stays.
void GoBack(Model& model);

// "jobs", "why ml/train", "q": as typed behind ":".
void RunCommand(Model& model, std::string_view command);

}  // namespace fedra::cli::screen
