// fedra wait: until a job is dispatched, runs or has finished.

#include <optional>
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/time.h"
#include "manager/cli/commands.h"
#include "manager/cli/rendered_view.h"
#include "manager/cli/terminal/checked_output.h"
#include "manager/placement/action.h"
#include "manager/report/progress.h"
#include "manager/text/display_text.h"
#include "store/rows.h"

namespace fedra::cli {
namespace {

using nlohmann::ordered_json;
using placement::Phase;
using report::Progress;

// What the view says of the job.
struct Seen {
  std::optional<Phase> phase;  // nullopt: nothing is known yet, or one of another version of fedra
  std::string text;            // "Running on gpu-east"
  ordered_json report;
  bool daemon_runs = true;
};

// Why this daemon does not know how far the job is now; empty: it may. From a report on anything.
std::string WhyNotKnown(const ordered_json& report) {
  const ordered_json daemon = report.value("daemon", ordered_json::object());
  const ordered_json replica = daemon.value("replica", ordered_json::object());
  if (!daemon.value("running", true) || replica.value("role", "") != store::kStandbyRole) return {};
  const std::string leader = replica.value("leader", "");
  return fmt::format("this is a standby (replica {}), which does not see how far it is; {}",
                     replica.value("identity", ""),
                     leader.empty() ? "no replica leads" : "ask the leader, " + leader);
}

// `since`: of a job that was gone by then nothing is said, for another one of its name may come.
Result<Seen> Look(const ViewOptions& options, const Terminal& terminal, const Render& render,
                  WallTime since) {
  FEDRA_ASSIGN_OR_RETURN(const text::Output output, RenderOnce(options, terminal, render));
  Seen seen;
  seen.report = ordered_json::parse(output.out, nullptr, /*allow_exceptions=*/false);
  seen.daemon_runs = seen.report.value("daemon", ordered_json::object()).value("running", true);
  const ordered_json jobs = seen.report.value("jobs", ordered_json::array());
  if (jobs.empty()) return seen;
  const ordered_json& job = jobs.front();
  const std::string removed = job.value("removedAt", "");
  if (const auto at = ParseRfc3339(removed); at && *at < since) {
    seen.text = "gone since " + removed;
    return seen;
  }
  seen.text = job.value("state", "");
  seen.phase = placement::ParsePhase(seen.text);
  if (!removed.empty() && seen.phase != Phase::kFinished && seen.phase != Phase::kFailed) {
    seen.phase = Phase::kGone;
    seen.text = ToString(Phase::kGone);
  }
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
        render_(RenderBy(api::View::kJob, view_, name_)),
        fleet_(RenderBy(api::View::kWorkers, view_)) {
    view_.format = "json";
  }

  int Run() {
    while (true) {
      const auto seen = Look(view_, terminal_, render_, since_);
      if (!seen && !MayPass(seen.error().code)) return Complain(ToString(seen.error()));
      const std::string standby = WhyStandby(seen);
      if (seen && standby.empty()) {
        const Progress progress = report::ProgressOf(seen->phase, goal_);
        if (progress != Progress::kNotYet) return Conclude(*seen, progress);
      }
      if (!standby.empty())
        Say(standby);
      else if (seen)
        Say(seen->text + (seen->daemon_runs ? "" : " (the daemon is not running)"));
      else
        SayOnce(seen.error());
      if (timeout_.count() > 0 && clock_.Steady() - begin_ >= timeout_) return GiveUp();
      if (!WaitWhileRead(LookAgainMilliseconds(view_))) return kFailed;
    }
  }

 private:
  // A job that was created a moment ago is not known yet; a daemon that is asked may start again.
  static bool MayPass(ErrorCode code) {
    return code == ErrorCode::kNotFound || code == ErrorCode::kConnection;
  }

  // A standby does not see jobs come and go: what it remembers concludes nothing, and what it does
  // not know may be there. It may lead by the next look.
  std::string WhyStandby(const Result<Seen>& seen) const {
    if (seen) return WhyNotKnown(seen->report);
    if (seen.error().code != ErrorCode::kNotFound) return {};
    const auto fleet = RenderOnce(view_, terminal_, fleet_);
    if (!fleet) return {};
    return WhyNotKnown(ordered_json::parse(fleet->out, nullptr, /*allow_exceptions=*/false));
  }

  int Complain(const std::string& message) {
    terminal_.err << "fedra wait: " << Shown(message) << "\n";
    return kFailed;
  }

  // Notes hold what clusters say.
  std::string Shown(const std::string& text) const { return text::Printable(text, terminal_.utf8); }

  // On standard error: what is waited for now, when that changes.
  void Say(const std::string& text) {
    if (text == said_) return;
    said_code_.reset();
    said_ = text;
    terminal_.err << name_ << ": " << Shown(text) << "\n" << std::flush;
  }

  // Its message may have an age in it, which grows with every look.
  void SayOnce(const Error& error) {
    if (said_code_ != error.code) Say(ToString(error));
    said_code_ = error.code;
  }

  int Conclude(const Seen& seen, Progress progress) {
    if (format_ == "json") {
      terminal_.out << seen.report.dump(2) << "\n";
    } else {
      terminal_.out << name_ << ": " << Shown(seen.text) << "\n";
    }
    return progress == Progress::kReached ? 0 : kEndedOtherwise;
  }

  int GiveUp() {
    const std::string next = said_code_ == ErrorCode::kNotFound
                                 ? "kubectl says whether it exists"
                                 : fmt::format("fedra why {} says what it waits for", name_);
    terminal_.err << fmt::format("fedra wait: {} is not {} after {}; {}\n", name_,
                                 report::GoalNames()[static_cast<size_t>(goal_)],
                                 FormatDuration(timeout_), next);
    return kTimedOut;
  }

  const std::string name_;
  const report::Goal goal_;
  const std::chrono::milliseconds timeout_;
  ViewOptions view_;
  const std::string format_;
  Terminal& terminal_;
  const Render render_;
  const Render fleet_;
  const Clock& clock_ = SystemClock();
  const SteadyTime begin_ = clock_.Steady();
  // Documents have times in whole seconds.
  const WallTime since_ = std::chrono::floor<std::chrono::seconds>(clock_.Now());
  std::string said_;
  std::optional<ErrorCode> said_code_;  // of the error that was said last, when nothing else was
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
