// The connection to a worker, and what the job may do there, in words.

#include <fmt/format.h>

#include "base/text.h"
#include "base/time.h"
#include "verdict/fact_text.h"

namespace fedra::verdict {
namespace {

std::string WhenTried(const Connection& connection) {
  if (!connection.tried_for_ms) return " when the snapshot was taken";
  const std::chrono::milliseconds tried(*connection.tried_for_ms);
  // A refusal comes at once, and nothing is learned from "0s".
  return tried < std::chrono::seconds(1) ? "" : fmt::format(" (tried for {})", FormatAge(tried));
}

// ", first ml/big4 (priority 100, order Strict)"; empty: it is not known.
std::string FirstText(const InLine& line) {
  if (!line.first) return {};
  return fmt::format(", first {} (priority {}{}{})", line.first->ToString(), line.priority,
                     line.order.empty() ? "" : ", order ", line.order);
}

}  // namespace

std::string TextOf(const Connection& connection, const Rendering&) {
  switch (connection.state) {
    case Connection::State::kFailed:
      return connection.error;
    case Connection::State::kConnecting:
      return "connecting for the first time";
    case Connection::State::kNotReached:
      return fmt::format("not reached{}: {}", WhenTried(connection),
                         connection.error.empty() ? "no answer" : connection.error);
    case Connection::State::kNoAnswer:
      return fmt::format("no answer{}{}", WhenTried(connection),
                         connection.tried_for_ms ? "; --timeout waits longer" : "");
    case Connection::State::kKueueInactive:
      return "Kueue on the manager is not connected to it" +
             (connection.error.empty() ? "" : ": " + connection.error);
    case Connection::State::kNoKueueCluster:
      return "the manager has no MultiKueueCluster of that name";
    case Connection::State::kLost:
      break;
  }
  return fmt::format("no contact since {} ({})",
                     FormatRfc3339(connection.since.value_or(WallTime())), connection.error);
}

std::string TextOf(const OtherScheduler& scheduler, const Rendering&) {
  return fmt::format(
      "no API reveals whether the scheduler {} runs there; the verdict assumes kube-scheduler",
      scheduler.name);
}

std::string TextOf(const Gang& gang, const Rendering&) {
  std::string text =
      fmt::format("{} needs minCount {} pods before any of them is scheduled; the job has {}",
                  gang.group, gang.min_count, gang.pods);
  if (gang.there > 0) text += fmt::format(", and the worker has {} of this group", gang.there);
  return text;
}

std::string TextOf(const GroupTerms& terms, const Rendering&) {
  return fmt::format("{} has {}, which fedra does not look at: the pods may not fit as it demands",
                     terms.group, fmt::join(terms.fields, " and "));
}

std::string TextOf(const ReleaseDoubt& doubt, const Rendering&) {
  const std::string scheduler = "kube-scheduler " + doubt.release;
  switch (doubt.kind) {
    case ReleaseDoubt::Kind::kOrder:
      return scheduler +
             " looks at the pools and slices of a node in an order that is chance, and whether all "
             "pods fit depends on it; one that fails is tried again, in another order";
    case ReleaseDoubt::Kind::kCounts:
      return "how many pods fit may be chance, for " + scheduler +
             " looks at the pools and slices of a node in any order; all of them fit in none";
    case ReleaseDoubt::Kind::kRefusals:
      return scheduler +
             " lets devices that it has refused keep shared counters and constraints while it "
             "looks at the others, so that it may find none where there are some; 1.36.3 does not";
    case ReleaseDoubt::Kind::kRules:
      return scheduler +
             " ends with a panic when a ResourceSlice changes while there are DeviceTaintRules, if "
             "it has the feature gate DRADeviceTaintRules; 1.36.3 does not";
    case ReleaseDoubt::Kind::kCounters:
      return scheduler +
             " takes the shared counters of two drivers' pools for one if the pools have one name, "
             "and whose it reads is chance; 1.36.4 does not";
    case ReleaseDoubt::Kind::kNearest:
      return fmt::format(
          "the worker's Kubernetes{} is of no release that fedra knows: its devices are judged as "
          "by {}",
          doubt.version.empty() ? "" : " " + doubt.version, scheduler);
    case ReleaseDoubt::Kind::kGates:
      break;
  }
  return fmt::format(
      "the worker's objects have {}: off by default in {}, and what its kube-scheduler makes of it "
      "is not judged",
      fmt::join(doubt.fields, ", "), doubt.release);
}

std::string TextOf(const PodTerms& terms, const Rendering&) {
  return fmt::format("not judged of the pods of {}: {}", terms.pod_set,
                     fmt::join(terms.fields, ", "));
}

std::string TextOf(const BroadTaintRules& rules, const Rendering&) {
  return fmt::format(
      "{} (such as {}) select{} by deviceClassName or by selectors, which is not evaluated: fewer "
      "devices may be tainted than it seems",
      Counted(rules.rules, "DeviceTaintRule"), rules.first, rules.rules == 1 ? "s" : "");
}

std::string TextOf(const NotAllowed& worker, const Rendering&) {
  return worker.check.empty() ? "it was removed from the configuration"
                              : fmt::format("AdmissionCheck {} does not name it", worker.check);
}

std::string ServiceText(const Cordoned& worker) {
  return fmt::format("{}{}{}", worker.drains ? "drained" : "cordoned",
                     worker.reason.empty() ? "" : ": ", worker.reason);
}

std::string TextOf(const Cordoned& worker, const Rendering&) {
  return "it is " + ServiceText(worker);
}

std::string TextOf(const MovedAway& move, const Rendering& rendering) {
  const std::string until = rendering.now ? "for another " + FormatAge(move.until - *rendering.now)
                                          : "until " + FormatRfc3339(move.until);
  if (move.to.empty())
    return fmt::format("the job was moved away from it, and goes elsewhere {}", until);
  return fmt::format("the job was moved to {}, and goes nowhere else {}", move.to, until);
}

std::string AheadText(const InLine& line) { return Counted(line.ahead, "job") + FirstText(line); }

std::string TextOf(const InLine& line, const Rendering&) {
  if (line.ahead == 0)
    return "other jobs are ahead of it in line for the devices there" + FirstText(line);
  return "free devices go to those ahead in line: " + AheadText(line);
}

std::string TextOf(const Reserved& reserved, const Rendering&) {
  return fmt::format(
      "{} to spare, and at least {} reserved for jobs already dispatched there{}",
      Counted(reserved.spare, "device"), reserved.reserved,
      reserved.job.name.empty() ? "" : fmt::format(" (job {})", reserved.job.ToString()));
}

std::string TextOf(const Setback& setback, const Rendering& rendering) {
  const auto& until = setback.paused_until;
  std::string when, again;
  if (rendering.now) {
    when = FormatAge(*rendering.now - setback.at) + " ago";
    if (until) again = "in " + FormatAge(*until - *rendering.now);
  } else {
    when = "at " + FormatRfc3339(setback.at);
    if (until) again = "at " + FormatRfc3339(*until);
  }
  const std::string_view what =
      setback.message.empty() ? "did not keep the job" : std::string_view(setback.message);
  return fmt::format("{} ({}); tried again {}", what, when,
                     until ? again : "after the other workers");
}

}  // namespace fedra::verdict
