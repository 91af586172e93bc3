// fedra wait: until a job is dispatched, runs or has finished.

#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/time.h"
#include "manager/cli/commands.h"
#include "manager/cli/rendered_view.h"
#include "manager/cli/terminal/checked_output.h"
#include "manager/report/progress.h"

namespace fedra::cli {
namespace {

using nlohmann::ordered_json;
using report::Progress;

constexpr int kLookMilliseconds = 500;

// What the view says of the job: as text, "Running on gpu-east"; empty: not known to fedra.
struct Seen {
  std::string state;
  std::string text;
  ordered_json report;
};

Result<Seen> Look(const ViewOptions& options, const Terminal& terminal, const Render& render) {
  FEDRA_ASSIGN_OR_RETURN(const text::Output output, RenderOnce(options, terminal, render));
  Seen seen;
  seen.report = ordered_json::parse(output.out, nullptr, /*allow_exceptions=*/false);
  const ordered_json jobs = seen.report.value("jobs", ordered_json::array());
  if (jobs.empty()) return seen;
  const ordered_json& job = jobs.front();
  seen.state = job.value("state", "");
  seen.text = seen.state;
  if (const std::string worker = job.value("worker", ""); !worker.empty())
    seen.text += " on " + worker;
  if (const std::string note = job.value("note", ""); !note.empty()) seen.text += ": " + note;
  return seen;
}

class Waiting final {
 public:
  Waiting(const WaitOptions& options, report::Goal goal, std::chrono::milliseconds timeout,
          Terminal& terminal)
      : name_(options.view.names.front()),
        goal_(goal),
        timeout_(timeout),
        view_(options.view),
        format_(options.view.format),
        terminal_(terminal),
        render_(RenderBy(api::View::kJob, view_, name_)) {
    view_.format = "json";
  }

  int Run() {
    while (true) {
      const auto seen = Look(view_, terminal_, render_);
      // A job that was created a moment ago is not known yet.
      if (!seen && seen.error().code != ErrorCode::kNotFound) return Complain(seen.error().message);
      if (seen) {
        const Progress progress = report::ProgressOf(seen->state, goal_);
        if (progress != Progress::kNotYet) return Conclude(*seen, progress);
      }
      Say(seen ? seen->text : seen.error().message);
      if (timeout_.count() > 0 && clock_.Steady() - begin_ >= timeout_) return GiveUp();
      if (!WaitWhileRead(kLookMilliseconds)) return kFailed;
    }
  }

 private:
  int Complain(const std::string& message) {
    terminal_.err << "fedra wait: " << message << "\n";
    return kFailed;
  }

  // On standard error: what is waited for now, when that changes.
  void Say(const std::string& text) {
    if (text == said_) return;
    said_ = text;
    terminal_.err << name_ << ": " << text << "\n" << std::flush;
  }

  int Conclude(const Seen& seen, Progress progress) {
    if (format_ == "json") {
      terminal_.out << seen.report.dump(2) << "\n";
    } else {
      terminal_.out << name_ << ": " << seen.text << "\n";
    }
    return progress == Progress::kReached ? 0 : kEndedOtherwise;
  }

  int GiveUp() {
    terminal_.err << fmt::format(
        "fedra wait: {} is not {} after {}; fedra why {} says what it waits for\n", name_,
        report::GoalNames()[static_cast<size_t>(goal_)], FormatDuration(timeout_), name_);
    return kUnknown;
  }

  const std::string name_;
  const report::Goal goal_;
  const std::chrono::milliseconds timeout_;
  ViewOptions view_;
  const std::string format_;
  Terminal& terminal_;
  const Render render_;
  const Clock& clock_ = SystemClock();
  const SteadyTime begin_ = clock_.Steady();
  std::string said_;
};

}  // namespace

int Wait(const WaitOptions& options, Terminal& terminal) {
  const auto goal = report::ParseGoal(options.goal);
  const auto timeout = ParseDuration(options.timeout);
  if (!goal || !timeout) {
    terminal.err << "fedra wait: "
                 << (goal ? "--timeout: " + timeout.error().message
                          : "--for is dispatched, running or finished")
                 << "\n";
    return kFailed;
  }
  return Waiting(options, *goal, *timeout, terminal).Run();
}

}  // namespace fedra::cli
