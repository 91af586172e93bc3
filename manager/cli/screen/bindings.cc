#include "manager/cli/screen/bindings.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "manager/cli/screen/layout.h"
#include "manager/cli/screen/open.h"
#include "manager/report/job_columns.h"

namespace fedra::cli::screen {
namespace {

bool Always(const View&) { return true; }
bool OnRows(const View& view) { return IsRows(view.question.what); }
bool OnGroups(const View& view) { return view.question.what == What::kGroups; }
bool OnJobs(const View& view) { return view.question.what == What::kJobs; }
bool OnWorker(const View& view) {
  const What what = view.question.what;
  return what == What::kWorkers || what == What::kWorker || what == What::kDevices;
}
// What is about a job: rows of jobs, pages of one, and the devices that were opened from one.
bool OnJob(const View& view) {
  return OnJobs(view) || IsOfJob(view.question.what) ||
         (view.question.what == What::kDevices && !view.beside.empty());
}
bool OnJobOrWorker(const View& view) { return OnJob(view) || OnWorker(view); }

// By rows, or by lines where nothing is selected. KeepInView() keeps both within bounds.
void MoveBy(Model& model, ptrdiff_t delta) {
  View& view = Seen(model);
  size_t& place = IsRows(view.question.what) ? view.index : view.top;
  const auto moved = std::max<ptrdiff_t>(0, static_cast<ptrdiff_t>(place) + delta);
  const std::vector<size_t> shown = Shown(view);
  place = std::min(static_cast<size_t>(moved), shown.empty() ? 0 : shown.size() - 1);
  if (IsRows(view.question.what) && !shown.empty()) view.selected = KeyAt(view, shown[view.index]);
}

ptrdiff_t Body(const Model& model) {
  return static_cast<ptrdiff_t>(LayoutOf(Seen(model), model.size).body);
}

constexpr ptrdiff_t kFar = 1'000'000'000;

// The column behind the present one, and the first behind the last.
template <typename Column>
Column Next(std::span<const Column> columns, Column present) {
  const auto found = std::ranges::find(columns, present);
  return found == columns.end() || found + 1 == columns.end() ? columns.front() : *(found + 1);
}

// Another question in the same view: what was selected stays so, if it is there.
void Ask(Model& model, Question question) {
  View& view = Seen(model);
  if (view.question.group_by != question.group_by) view.document.reset();
  view.question = std::move(question);
  view.opened_at = model.now;
}

void GroupOtherwise(Model& model) {
  Question question = Seen(model).question;
  question.group_by =
      Next(std::span<const store::JobGrouping>(report::kJobGroupings), question.group_by.value());
  Ask(model, std::move(question));
}

void SortOtherwise(Model& model) {
  Question question = Seen(model).question;
  question.sort_by = Next(std::span<const store::JobOrder>(report::kJobOrders),
                          question.sort_by.value_or(report::kJobOrders.front()));
  model.note = fmt::format("sorted by {}", report::ToString(*question.sort_by));
  Ask(model, std::move(question));
}

void ShowMore(Model& model) {
  const View& view = Seen(model);
  if (!view.document || view.document->beyond == 0) {
    model.note = "all jobs are here";
    return;
  }
  Question question = view.question;
  question.limit += kPage;
  Ask(model, std::move(question));
}

void ShowEnded(Model& model) {
  Question question = Seen(model).question;
  question.all = !question.all;
  model.note = question.all ? "with jobs that ended long ago" : "without jobs that ended long ago";
  Ask(model, std::move(question));
}

void Type(Model& model, Prompt prompt) {
  model.prompt = prompt;
  model.input = prompt == Prompt::kFilter ? Seen(model).filter : std::string();
}

Key Named(KeyCode code) { return {code}; }

std::vector<Binding> Movements() {
  return {
      {{KeyOf("j"), Named(KeyCode::kDown)},
       "j Down",
       "the next row, or line",
       "",
       Always,
       [](Model& model) { MoveBy(model, 1); }},
      {{KeyOf("k"), Named(KeyCode::kUp)},
       "k Up",
       "the row, or line, before",
       "",
       Always,
       [](Model& model) { MoveBy(model, -1); }},
      {{KeyOf(" "), Named(KeyCode::kPageDown)},
       "Space PgDn",
       "a screen down (ctrl-f)",
       "",
       Always,
       [](Model& model) { MoveBy(model, Body(model)); }},
      {{KeyOf("b"), Named(KeyCode::kPageUp)},
       "b PgUp",
       "a screen up (ctrl-b)",
       "",
       Always,
       [](Model& model) { MoveBy(model, -Body(model)); }},
      {{KeyOf("g"), Named(KeyCode::kHome)},
       "g Home",
       "the first",
       "",
       Always,
       [](Model& model) { MoveBy(model, -kFar); }},
      {{KeyOf("G"), Named(KeyCode::kEnd)},
       "G End",
       "the last",
       "",
       Always,
       [](Model& model) { MoveBy(model, kFar); }},
  };
}

std::vector<Binding> Views() {
  return {
      {{Named(KeyCode::kEnter), Named(KeyCode::kRight)},
       "Enter Right",
       "open: a group's jobs, a job's why, a worker's jobs",
       "open",
       OnRows,
       OpenRow},
      {{KeyOf("w")},
       "w",
       "why each worker can or cannot run the job",
       "why",
       OnJob,
       [](Model& model) { OpenText(model, What::kWhy); }},
      {{KeyOf("w")},
       "w",
       "of a worker: its state, and why",
       "why",
       OnWorker,
       [](Model& model) { OpenText(model, What::kWorker); }},
      {{KeyOf("h")},
       "h",
       "history: the job's attempts and events",
       "history",
       OnJob,
       [](Model& model) { OpenText(model, What::kHistory); }},
      {{KeyOf("h")},
       "h",
       "of a worker: the jobs it has and had",
       "history",
       OnWorker,
       OpenWorkerHistory},
      {{KeyOf("d")},
       "d",
       "devices of the worker, or of the job's worker",
       "devices",
       OnJobOrWorker,
       [](Model& model) { OpenText(model, What::kDevices); }},
      {{KeyOf("i")},
       "i",
       "in short: where the job is and has been",
       "",
       OnJob,
       [](Model& model) { OpenText(model, What::kJob); }},
      {{Named(KeyCode::kTab)},
       "Tab",
       "group by state, reason, worker, queue, namespace",
       "group",
       OnGroups,
       GroupOtherwise},
      {{KeyOf("s")}, "s", "sort jobs by another column", "", OnJobs, SortOtherwise},
      {{KeyOf("m")}, "m", "more jobs, where there are more", "", OnJobs, ShowMore},
      {{KeyOf("a")}, "a", "also jobs that ended over an hour ago", "", OnJobs, ShowEnded},
      {{Named(KeyCode::kEscape), Named(KeyCode::kLeft), Named(KeyCode::kBackspace)},
       "Esc Left",
       "back: without the filter, then to the view before",
       "back",
       Always,
       GoBack},
  };
}

std::vector<Binding> Elsewhere() {
  return {
      {{KeyOf("1")},
       "1",
       "groups of jobs",
       "",
       Always,
       [](Model& model) { RunCommand(model, "groups"); }},
      {{KeyOf("2")}, "2", "jobs", "", Always, [](Model& model) { RunCommand(model, "jobs"); }},
      {{KeyOf("3")},
       "3",
       "workers",
       "",
       Always,
       [](Model& model) { RunCommand(model, "workers"); }},
      {{KeyOf("/")},
       "/",
       "filter: rows, or lines, with a text; Enter: of all jobs",
       "filter",
       Always,
       [](Model& model) { Type(model, Prompt::kFilter); }},
      {{KeyOf(":")},
       ":",
       "a view by name: :workers, :reason, :why ml/train",
       "",
       Always,
       [](Model& model) { Type(model, Prompt::kCommand); }},
      {{Named(KeyCode::kRedraw)},
       "ctrl-l",
       "draw the screen again",
       "",
       Always,
       [](Model& model) { model.redraw = true; }},
      {{KeyOf("?")}, "?", "this help", "help", Always, OpenHelp},
      {{KeyOf("q")}, "q", "end", "quit", Always, [](Model& model) { model.ends = true; }},
  };
}

}  // namespace

std::span<const Binding> Bindings() {
  static const std::vector<Binding> bindings = [] {
    std::vector<Binding> all = Movements();
    for (const auto& more : {Views(), Elsewhere()}) all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
  return bindings;
}

const Binding* FindBinding(const Key& key, const View& view) {
  const auto found = std::ranges::find_if(Bindings(), [&](const Binding& binding) {
    return binding.applies(view) && std::ranges::find(binding.keys, key) != binding.keys.end();
  });
  return found == Bindings().end() ? nullptr : &*found;
}

std::vector<Line> HelpLines() {
  std::vector<Line> lines;
  for (const Binding& binding : Bindings())
    lines.push_back(LineOf(fmt::format("{:<12}{}", binding.shown, binding.meaning)));
  return lines;
}

}  // namespace fedra::cli::screen
