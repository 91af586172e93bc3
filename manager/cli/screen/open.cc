#include "manager/cli/screen/open.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "manager/cli/screen/bindings.h"
#include "manager/cli/screen/layout.h"
#include "manager/report/job_columns.h"

namespace fedra::cli::screen {
namespace {

// The selected row; null: there is none.
const Row* SelectedRow(const View& view) {
  if (!view.document || !IsRows(view.question.what)) return nullptr;
  const std::vector<size_t> shown = Shown(view);
  return view.index < shown.size() ? &view.document->rows[shown[view.index]] : nullptr;
}

// What the keys of a job, or of a worker, are about.
struct Subject {
  std::string job;     // empty: none
  std::string worker;  // empty: none
};

Subject SubjectOf(const View& view) {
  const What what = view.question.what;
  if (IsOfJob(what)) return {view.question.subject, view.beside};
  if (what == What::kDevices || what == What::kWorker) return {view.beside, view.question.subject};
  const Row* const row = SelectedRow(view);
  if (row == nullptr) return {};
  return {what == What::kJobs ? row->subject : std::string(), row->worker};
}

void Push(Model& model, View view) {
  view.opened_at = model.now;
  if (!IsRows(view.question.what)) view.question.columns = model.size.width;
  model.views.push_back(std::move(view));
}

Question JobsOf(std::optional<store::JobGrouping> group_by, std::string group) {
  return {.what = What::kJobs, .group_by = group_by, .group = std::move(group), .limit = kPage};
}

// "why", "job", ...: views that a command opens with a name behind it.
struct NamedView {
  std::string_view word;
  What what;
};
constexpr NamedView kNamedViews[] = {{"job", What::kJob},         {"why", What::kWhy},
                                     {"history", What::kHistory}, {"devices", What::kDevices},
                                     {"worker", What::kWorker},   {"cluster", What::kWorker}};

bool OpenNamed(Model& model, std::string_view word, const std::string& name) {
  const auto* const found = std::ranges::find(kNamedViews, word, &NamedView::word);
  if (found == std::end(kNamedViews)) return false;
  if (name.empty()) {
    OpenText(model, found->what);
  } else {
    Open(model, {.what = found->what, .subject = name});
  }
  return true;
}

bool OpenList(Model& model, std::string_view word, const std::string& behind) {
  const auto by = report::ParseJobGrouping(word == "groups" && !behind.empty() ? behind : word);
  if (word == "jobs" || word == "workloads") {
    OpenFirst(model, JobsOf({}, {}));
  } else if (word == "workers" || word == "clusters") {
    OpenFirst(model, {.what = What::kWorkers});
  } else if (by) {
    OpenFirst(model, {.what = What::kGroups, .group_by = by});
  } else if (word == "groups" && behind.empty()) {
    OpenFirst(model, {.what = What::kGroups, .group_by = report::kJobGroupings.front()});
  } else {
    return false;
  }
  return true;
}

}  // namespace

void Open(Model& model, Question question, const std::string& beside) {
  if (!IsRows(Seen(model).question.what) && model.views.size() > 1) model.views.pop_back();
  Push(model, {.question = std::move(question), .beside = beside});
}

void OpenFirst(Model& model, Question question) {
  model.views.clear();
  Push(model, {.question = std::move(question)});
}

void OpenRow(Model& model) {
  const View& view = Seen(model);
  const Row* const row = SelectedRow(view);
  if (row == nullptr) return;
  if (view.question.what == What::kJobs) return OpenText(model, What::kWhy);
  const auto by =
      view.question.what == What::kWorkers ? store::JobGrouping::kWorker : view.question.group_by;
  if (row->subject.empty()) {
    model.note = "jobs without a worker cannot be listed alone";
    return;
  }
  Open(model, JobsOf(by, row->subject));
}

void OpenText(Model& model, What what) {
  const Subject subject = SubjectOf(Seen(model));
  if (IsOfJob(what)) {
    if (subject.job.empty()) {
      model.note = "this is about one job: select one";
    } else {
      Open(model, {.what = what, .subject = subject.job}, subject.worker);
    }
  } else if (subject.worker.empty()) {
    model.note = subject.job.empty() ? std::string("this is about one worker: select one")
                                     : fmt::format("{} is on no worker", subject.job);
  } else {
    // The job stays at hand: from the devices of its worker the keys lead back to it.
    Open(model, {.what = what, .subject = subject.worker}, subject.job);
  }
}

void OpenWorkerHistory(Model& model) {
  const Subject subject = SubjectOf(Seen(model));
  if (subject.worker.empty()) return;
  Question question = JobsOf(store::JobGrouping::kWorker, subject.worker);
  question.sort_by = store::JobOrder::kAge;
  question.all = true;
  Open(model, std::move(question));
}

void OpenHelp(Model& model) {
  if (Seen(model).question.what == What::kHelp) return GoBack(model);
  auto document = std::make_shared<Document>();
  document->lines = HelpLines();
  Push(model, {.question = {.what = What::kHelp}, .document = std::move(document)});
}

void LookForName(Model& model) {
  View& view = Seen(model);
  if (view.question.what != What::kJobs || !view.document || view.document->beyond == 0) return;
  if (view.filter.empty()) return;
  std::string& name = view.question.name;
  name += (name.empty() ? "" : " ") + std::exchange(view.filter, {});
  view.document.reset();
  view.opened_at = model.now;
}

void GoBack(Model& model) {
  View& view = Seen(model);
  if (!view.filter.empty()) {
    view.filter.clear();
  } else if (!view.question.name.empty()) {
    view.question.name.clear();
    view.document.reset();
    view.opened_at = model.now;
  } else if (model.views.size() > 1) {
    model.views.pop_back();
  } else {
    model.note = "this is the first view: q ends";
  }
}

void RunCommand(Model& model, std::string_view command) {
  const size_t begin = std::min(command.find_first_not_of(' '), command.size());
  const size_t end = std::min(command.find(' ', begin), command.size());
  const std::string word(command.substr(begin, end - begin));
  const size_t behind = std::min(command.find_first_not_of(' ', end), command.size());
  std::string name(command.substr(behind));
  name.erase(name.find_last_not_of(' ') + 1);
  if (word.empty()) return;
  if (word == "q" || word == "quit") {
    model.ends = true;
  } else if (word == "help" || word == "?") {
    OpenHelp(model);
  } else if (!OpenNamed(model, word, name) && !OpenList(model, word, name)) {
    model.note = fmt::format(
        "there is no \"{}\"; there are groups, jobs, workers, why, job, "
        "history, devices, worker, help, q",
        word);
  }
}

}  // namespace fedra::cli::screen
