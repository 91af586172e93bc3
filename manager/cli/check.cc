// fedra check: the preflight. Lists the workers as the daemon does, judges, and writes nothing.

#include <algorithm>
#include <chrono>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/log.h"
#include "base/time.h"
#include "cluster-clients/http/loop.h"
#include "config/load.h"
#include "config/yaml_json.h"
#include "manager/cli/commands.h"
#include "manager/cli/input.h"
#include "manager/cli/output.h"
#include "manager/reconcile/worker.h"
#include "manager/tracking/json_fields.h"
#include "manager/tracking/kueue_api.h"
#include "manager/tracking/submitted.h"
#include "manager/wiring.h"

namespace fedra::cli {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

// Progress is shown at least this often.
constexpr milliseconds kLookAgain{200};
constexpr int kPlaceable = 0;
constexpr int kFailed = 1;
constexpr int kNowhere = 3;
constexpr int kUnknown = 4;

struct WorkerVerdict {
  std::string worker;
  dra::Verdict verdict;
};

struct Report {
  std::string kind;
  ObjectKey job;
  dra::Requirement requirement;
  std::vector<WorkerVerdict> verdicts;

  int ExitCode() const {
    bool unknown = false;
    for (const WorkerVerdict& item : verdicts) {
      if (item.verdict.outcome == dra::Outcome::kYes ||
          item.verdict.outcome == dra::Outcome::kMayScale)
        return kPlaceable;
      unknown |= item.verdict.outcome == dra::Outcome::kUnknown;
    }
    return unknown ? kUnknown : kNowhere;
  }
};

Result<std::vector<tracking::SubmittedJob>> ReadJobs(const CheckOptions& options,
                                                     std::ostream& err) {
  std::vector<tracking::SubmittedJob> jobs;
  for (const std::string& path : options.files) {
    FEDRA_ASSIGN_OR_RETURN(const std::string text, ReadInput(path));
    auto documents = config::YamlToJson(text);
    if (!documents) return Fail(std::move(documents).error().WithContext(path));
    for (const std::string& document : *documents) {
      FEDRA_ASSIGN_OR_RETURN(const json object, watch::ParseJson(document));
      auto job = tracking::ParseSubmitted(object, options.ns);
      if (job) {
        jobs.push_back(std::move(*job));
      } else {
        err << fmt::format("{}: {}\n", path, job.error().message);
      }
    }
  }
  if (jobs.empty()) return Fail(ErrorCode::kInvalidArgument, "no job was found in the input");
  return jobs;
}

// Waits until every worker has answered or failed, at most `limit`. Progress on a terminal after
// two seconds.
void WaitForWorkers(const std::vector<std::unique_ptr<reconcile::Worker>>& workers,
                    Guarded<bool>& changed, milliseconds limit, const Terminal& terminal) {
  const SteadyTime begin = SystemClock().Steady();
  bool told = false;
  while (true) {
    const auto settled = std::count_if(workers.begin(), workers.end(),
                                       [](const auto& worker) { return worker->IsSettled(); });
    const auto waited = SystemClock().Steady() - begin;
    if (settled == static_cast<std::ptrdiff_t>(workers.size()) || waited > limit) break;
    if (terminal.out_is_tty && waited > std::chrono::seconds(2)) {
      terminal.err << fmt::format("\r{} of {} workers have answered", settled, workers.size())
                   << std::flush;
      told = true;
    }
    changed.WaitFor(kLookAgain, [](bool flag) { return flag; }, [](bool& flag) { flag = false; });
  }
  if (told) terminal.err << "\r\033[K";
}

std::vector<reconcile::WorkerSettings> Chosen(std::vector<reconcile::WorkerSettings> all,
                                              const std::vector<std::string>& names) {
  if (names.empty()) return all;
  std::erase_if(all, [&](const reconcile::WorkerSettings& worker) {
    return std::find(names.begin(), names.end(), worker.name.value) == names.end();
  });
  return all;
}

Report Judge(const tracking::SubmittedJob& job,
             const std::vector<std::unique_ptr<reconcile::Worker>>& workers,
             const verify::ExistenceOptions& options) {
  Report report{job.adapter->resource().kind, job.key, job.requirement, {}};
  for (const auto& worker : workers) {
    const auto same_name = worker->Job(*job.adapter, job.key);
    report.verdicts.push_back(
        {worker->name().value,
         verify::VerifyExistence(
             job.requirement, worker->Picture(*job.adapter, nullptr, same_name.get()), options)});
  }
  return report;
}

nlohmann::ordered_json ToJson(const Report& report) {
  auto workers = nlohmann::ordered_json::array();
  for (const WorkerVerdict& item : report.verdicts) {
    auto reasons = nlohmann::ordered_json::array();
    for (const dra::Reason& reason : item.verdict.reasons) {
      reasons.push_back({{"code", dra::ToString(reason.code)},
                         {"object", reason.object},
                         {"message", reason.message}});
    }
    workers.push_back({{"name", item.worker},
                       {"verdict", dra::ToString(item.verdict.outcome)},
                       {"reasons", reasons}});
  }
  const int code = report.ExitCode();
  return {{"job", {{"kind", report.kind}, {"namespace", report.job.ns}, {"name", report.job.name}}},
          {"result", code == kPlaceable ? "Placeable"
                     : code == kNowhere ? "Nowhere"
                                        : "Unknown"},
          {"workers", workers}};
}

void Print(const Report& report, std::ostream& out) {
  const auto yes = std::count_if(
      report.verdicts.begin(), report.verdicts.end(),
      [](const WorkerVerdict& item) { return item.verdict.outcome <= dra::Outcome::kMayScale; });
  out << fmt::format("{} {}: {} of {} workers can run it\n", report.kind, report.job.ToString(),
                     yes, report.verdicts.size());
  Table table({"WORKER", "VERDICT", "REASON", ""});
  for (const WorkerVerdict& item : report.verdicts) {
    std::string worker = item.worker;
    std::string outcome(dra::ToString(item.verdict.outcome));
    if (item.verdict.reasons.empty()) table.Add({worker, outcome, "", ""});
    for (const dra::Reason& reason : item.verdict.reasons) {
      table.Add({std::exchange(worker, ""), std::exchange(outcome, ""),
                 std::string(dra::ToString(reason.code)), reason.message});
    }
  }
  out << table.Render({});
}

}  // namespace

int Check(const CheckOptions& options, Terminal& terminal) {
  const auto fail = [&](const std::string& message) {
    terminal.err << "fedra check: " << message << "\n";
    return kFailed;
  };
  const auto limit = ParseDuration(options.timeout);
  if (!limit) return fail("--timeout: " + limit.error().message);
  const auto loaded =
      config::Load(options.config, {.now = SystemClock().Now(),
                                    .in_cluster = config::InClusterFromEnvironment(),
                                    .manager_may_fail = true});
  if (!loaded) return fail("\n" + config::ToString(loaded.error()));
  const auto jobs = ReadJobs(options, terminal.err);
  if (!jobs) return fail(jobs.error().message);

  Guarded<bool> changed;
  WorkerPool pool(4);
  http::HttpLoop loop;
  std::vector<std::unique_ptr<reconcile::Worker>> workers;
  for (const reconcile::WorkerSettings& settings : Chosen(ToWorkers(*loaded), options.workers)) {
    workers.push_back(std::make_unique<reconcile::Worker>(
        settings, loop, pool, SystemClock(),
        reconcile::WorkerListener{[](const ObjectKey&) {}, [](const ObjectKey&) {},
                                  [](const reconcile::Worker&, const reconcile::InputChange&) {},
                                  [&](const reconcile::Worker&) {
                                    changed.With([](bool& flag) { flag = true; });
                                    changed.Notify();
                                  }}));
  }
  if (workers.size() < std::max<size_t>(options.workers.size(), 1))
    return fail(options.workers.empty() ? "no worker is configured"
                                        : "--worker names one that is not configured");
  for (const auto& worker : workers) worker->Start();
  WaitForWorkers(workers, changed, *limit, terminal);

  int code = kPlaceable;
  nlohmann::ordered_json document = Document("CheckReport");
  auto& items = document["items"] = nlohmann::ordered_json::array();
  for (const tracking::SubmittedJob& job : *jobs) {
    const Report report = Judge(
        job, workers,
        {verify::Drift::kIgnore, verify::Undeclared::kWarn, loaded->configuration.origin, nullptr});
    code = std::max(code, report.ExitCode());
    if (options.format == "table") {
      Print(report, terminal.out);
    } else {
      items.push_back(ToJson(report));
    }
  }
  if (options.format != "table") {
    terminal.out << ToText(document, *ParseFormat(options.format));
  }
  for (const auto& worker : workers) worker->Stop();
  return code;
}

}  // namespace fedra::cli
