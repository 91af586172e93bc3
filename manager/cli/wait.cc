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
#include "manager/tracking/json_fields.h"
#include "store/rows.h"

namespace fedra::cli {
namespace {

using nlohmann::json;
using placement::Phase;
using report::Progress;
using tracking::Flag;
using tracking::Member;
using tracking::Text;

// A job that was gone before it was waited for may have been created again a moment ago: Kueue and
// fedra have not seen it then.
constexpr std::chrono::seconds kMayComeAgain{10};
constexpr const char* kComesAgain = "; for 10s another one of its name may come";

// What the view says of the job.
struct Seen {
  std::optional<Phase> phase;  // nullopt: nothing is known yet, or one of another version of fedra
  std::string text;            // "Running on gpu-east"
  std::string report;          // the document, as text
  bool daemon_runs = true;
  bool was_gone = false;  // before it was waited for
  std::string standby;    // as of WhyNotKnown
};

// What a daemon, or what is in front of it, has said.
Result<json> Parsed(const text::Output& output) {
  json report = json::parse(output.out, nullptr, /*allow_exceptions=*/false);
  if (!report.is_object()) return Fail(ErrorCode::kBadResponse, "the answer is no document");
  return report;
}

// Why this daemon does not know how far the job is now; empty: it may. From a report on anything.
std::string WhyNotKnown(const json& report) {
  const json& daemon = Member(report, "daemon");
  const json& replica = Member(daemon, "replica");
  if (!Flag(daemon, "running", true) || Text(replica, "role") != store::kStandbyRole) return {};
  const std::string leader = Text(replica, "leader");
  return fmt::format("this is a standby (replica {}), which does not see how far it is; {}",
                     Text(replica, "identity"),
                     leader.empty() ? "no replica leads" : "ask the leader, " + leader);
}

// `since`: of a job that was gone by then another one of its name may come.
void ReadJob(const json& job, WallTime since, Seen& seen) {
  seen.text = Text(job, "state");
  seen.phase = placement::ParsePhase(seen.text);
  const std::string removed = Text(job, "removedAt");
  if (!removed.empty() && seen.phase != Phase::kFinished && seen.phase != Phase::kFailed) {
    seen.phase = Phase::kGone;
    seen.text = ToString(Phase::kGone);
  }
  if (const std::string worker = Text(job, "worker"); !worker.empty()) seen.text += " on " + worker;
  if (const std::string note = Text(job, "note"); !note.empty()) seen.text += ": " + note;
  const auto at = ParseRfc3339(removed);
  seen.was_gone = at && *at < since;
  if (seen.was_gone) seen.text = fmt::format("gone since {} ({})", removed, seen.text);
}

Result<Seen> Look(const ViewOptions& options, const Terminal& terminal, const Render& render,
                  WallTime since) {
  FEDRA_ASSIGN_OR_RETURN(const text::Output output, RenderOnce(options, terminal, render));
  FEDRA_ASSIGN_OR_RETURN(const json report, Parsed(output));
  Seen seen;
  seen.report = output.out;
  seen.daemon_runs = Flag(Member(report, "daemon"), "running", true);
  seen.standby = WhyNotKnown(report);
  const json& jobs = Member(report, "jobs");
  if (jobs.is_array() && !jobs.empty()) ReadJob(jobs.front(), since, seen);
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
      const bool is_over = timeout_.count() > 0 && clock_.Steady() - begin_ >= timeout_;
      const bool may_come = seen && seen->was_gone && !is_over && MayComeAgain();
      if (seen && standby.empty() && !may_come) {
        const Progress progress = report::ProgressOf(seen->phase, goal_);
        if (progress != Progress::kNotYet) return Conclude(*seen, progress);
      }
      if (!standby.empty())
        Say(standby);
      else if (seen)
        Say(seen->text + (may_come ? kComesAgain : "") +
            (seen->daemon_runs ? "" : " (the daemon is not running)"));
      else
        SayOnce(seen.error());
      if (is_over) return GiveUp();
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
    if (seen) return seen->standby;
    if (seen.error().code != ErrorCode::kNotFound) return {};
    const auto fleet = RenderOnce(view_, terminal_, fleet_);
    if (!fleet) return {};
    const auto report = Parsed(*fleet);
    return report ? WhyNotKnown(*report) : std::string();
  }

  bool MayComeAgain() const { return clock_.Steady() - begin_ < kMayComeAgain; }

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
      terminal_.out << seen.report;
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
