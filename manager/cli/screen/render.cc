#include "manager/cli/screen/render.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/time.h"
#include "manager/cli/screen/bindings.h"
#include "manager/cli/screen/columns.h"
#include "manager/cli/screen/layout.h"
#include "manager/cli/screen/open.h"
#include "manager/report/job_columns.h"
#include "manager/text/display_text.h"

namespace fedra::cli::screen {
namespace {

using text::Tone;

// From this age on what is shown says so in colour.
constexpr std::chrono::seconds kOld{15};

// "jobs, state Blocked", "why ml/train".
std::string TitleOf(const Question& question) {
  switch (question.what) {
    case What::kGroups:
      return fmt::format("jobs by {}", report::ToString(question.group_by.value()));
    case What::kJobs: {
      std::string title = "jobs";
      if (question.group_by)
        title += fmt::format(", {} {}", report::ToString(*question.group_by), question.group);
      if (!question.name.empty()) title += fmt::format(", named *{}*", question.name);
      return title + (question.all ? ", ended ones too" : "");
    }
    case What::kWorkers:
      return "workers";
    case What::kWorker:
      return "worker " + question.subject;
    case What::kJob:
      return "job " + question.subject;
    case What::kWhy:
      return "why " + question.subject;
    case What::kHistory:
      return "history " + question.subject;
    case What::kDevices:
      return "devices of " + question.subject;
    case What::kHelp:
      break;
  }
  return "keys";
}

// "3 of 1000, 400 more", of what the filter leaves.
std::string CountOf(const View& view, size_t shown) {
  if (!view.document || !IsRows(view.question.what)) return {};
  const Document& document = *view.document;
  std::string text = view.filter.empty() ? std::to_string(document.rows.size())
                                         : fmt::format("{} of {}", shown, document.rows.size());
  if (document.beyond > 0) text += fmt::format(", {} more: m", document.beyond);
  return text;
}

// How old what is shown is: as of the daemon's last sign where the document says it, else since it
// was read.
text::Cell AgeInBar(const View& view, WallTime now) {
  if (view.question.what == What::kHelp) return "";
  if (!view.document && !view.problem.empty()) return "";  // that is what there is to say
  if (!view.document) return fmt::format("no answer yet, {}", FormatAge(now - view.opened_at));
  const std::optional<WallTime>& as_of = view.document->as_of;
  const auto age = now - as_of.value_or(view.read_at);
  const bool is_old = age > kOld || !view.problem.empty();
  return {fmt::format("{} {} ago", as_of ? "as of" : "read", FormatAge(age)),
          is_old ? Tone::kWarning : Tone::kPlain};
}

// The bar: its right half is never pushed out, so that old news is never taken for new.
Line Bar(const Model& model, size_t shown) {
  const View& view = Seen(model);
  text::Cell age = AgeInBar(view, model.now);
  const std::string count = CountOf(view, shown);
  std::string title = " fedra  " + TitleOf(view.question);
  if (!model.scope.empty() && IsRows(view.question.what)) title += " " + model.scope;
  if (!count.empty()) title += fmt::format("  [{}]", count);
  if (!view.filter.empty()) title += "  /" + view.filter;
  const size_t width = model.size.width;
  const size_t taken = std::min(width, text::DisplayWidth(age.text) + 2);
  title = Cut(text::Printable(title, model.utf8), width - taken);
  title.append(width - taken - text::DisplayWidth(title) + 1, ' ');
  return {{text::Cell(std::move(title)), std::move(age)}, Weight::kInverse};
}

std::vector<Line> Warnings(const View& view, size_t most) {
  if (!view.document) return {};
  std::vector<Line> lines;
  if (!view.problem.empty()) lines.push_back(LineOf("PROBLEM  " + view.problem, Tone::kBad));
  lines.insert(lines.end(), view.document->warnings.begin(), view.document->warnings.end());
  lines.resize(std::min(lines.size(), most));
  return lines;
}

// Where there is nothing but a problem it has the whole screen.
std::vector<Line> Unanswered(const Model& model, size_t most) {
  const View& view = Seen(model);
  if (view.problem.empty()) return {LineOf("  asking ...", Tone::kFaint)};
  std::vector<Line> lines;
  const size_t width = std::max<size_t>(1, model.size.width);
  for (std::string& line : text::Wrapped(text::Printable(view.problem, model.utf8), width))
    lines.push_back(LineOf(std::move(line), Tone::kBad));
  lines.resize(std::min(lines.size(), most));
  return lines;
}

// What stands where there is no row.
Line Nothing(const View& view) {
  if (!view.filter.empty())
    return LineOf("  nothing matches the filter (Esc drops it)", Tone::kFaint);
  if (!view.question.name.empty())
    return LineOf("  no job has that in its name (Esc drops it)", Tone::kFaint);
  if (view.document->ended > 0)
    return LineOf(fmt::format("  none; a also shows {} that ended over an hour ago",
                              Counted(view.document->ended, "job")),
                  Tone::kFaint);
  return LineOf("  none", Tone::kFaint);
}

void AddBody(const Model& model, const Layout& layout, const std::vector<size_t>& shown,
             Frame& frame) {
  const View& view = Seen(model);
  const size_t end = std::min(shown.size(), view.top + layout.body);
  if (!view.document) {
    for (Line& line : Unanswered(model, layout.titles + layout.body))
      frame.push_back(std::move(line));
    return;
  }
  if (!IsRows(view.question.what)) {
    for (size_t i = view.top; i < end; ++i) frame.push_back(view.document->lines[shown[i]]);
  } else {
    const Columns columns(*view.document, shown, model.now, model.size.width, model.utf8);
    if (layout.titles > 0) frame.push_back(columns.Titles());
    for (size_t i = view.top; i < end; ++i)
      frame.push_back(columns.Of(view.document->rows[shown[i]], i == view.index));
  }
  if (shown.empty()) frame.push_back(Nothing(view));
}

// There is nowhere to go back to.
bool IsFirst(const Model& model) {
  const View& view = Seen(model);
  return model.views.size() == 1 && view.filter.empty() && view.question.name.empty();
}

// What is being typed, what there is to say, or else the keys that do something here, as many as
// there is room for.
Line LastLine(const Model& model) {
  if (model.prompt != Prompt::kNone)
    return LineOf((model.prompt == Prompt::kFilter ? "/" : ":") + model.input + "_");
  if (!model.note.empty()) return LineOf(model.note, Tone::kWarning);
  const View& view = Seen(model);
  std::string keys;
  std::string always;  // the last ones, which help a lost user most
  for (const Binding& binding : Bindings()) {
    if (binding.hint.empty() || FindBinding(binding.keys.front(), view) != &binding) continue;
    if (binding.run == GoBack && IsFirst(model)) continue;
    const std::string_view key = binding.shown.substr(0, binding.shown.find(' '));
    const std::string hint = fmt::format("{} {}  ", key, binding.hint);
    const bool is_last = binding.shown == "?" || binding.shown == "q";
    (is_last ? always : keys) += hint;
  }
  const size_t room = model.size.width - std::min(model.size.width, always.size());
  while (keys.size() > room) {
    const size_t before = keys.size() < 3 ? keys.npos : keys.rfind("  ", keys.size() - 3);
    keys.resize(before == keys.npos ? 0 : before + 2);
  }
  std::string line = keys + always;
  line.erase(line.find_last_not_of(' ') + 1);
  return LineOf(std::move(line), Tone::kFaint);
}

}  // namespace

Frame Render(const Model& model) {
  const View& view = Seen(model);
  const Layout layout = LayoutOf(view, model.size);
  const std::vector<size_t> shown = Shown(view);
  Frame frame;
  if (layout.bar > 0) frame.push_back(Bar(model, shown.size()));
  for (Line& line : Warnings(view, layout.warnings)) frame.push_back(std::move(line));
  AddBody(model, layout, shown, frame);
  frame.resize(model.size.height - std::min(layout.keys, model.size.height));
  if (layout.keys > 0) frame.push_back(LastLine(model));
  for (Line& line : frame) line = Fitted(std::move(line), model.size.width, model.utf8);
  return frame;
}

}  // namespace fedra::cli::screen
