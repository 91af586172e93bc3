// One verdict: what the daemon finds of a worker, what `check` finds when it asks the same worker,
// and what it finds in a snapshot are the same, for the same clusters and jobs.
//
// All three are put together as the program does it, from one configuration file: the daemon is a
// running Federation, which is also asked to `check`, the snapshot is written by `fedra snapshot`,
// and OpenFleet reads both for `check`. Compared are whole verdicts, as the daemon hands them to
// its metrics.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/guarded.h"
#include "cluster-clients/threads.h"
#include "config/load.h"
#include "manager/cli/commands.h"
#include "manager/cli/fleet/daemon_check.h"
#include "manager/cli/fleet/fleet.h"
#include "manager/reconcile/federation.h"
#include "manager/tracking/kinds/pod.h"
#include "manager/tracking/kinds/submitted.h"
#include "manager/tracking/kinds/submitted_group.h"
#include "manager/tracking/workload.h"
#include "manager/wiring.h"
#include "tests/support/catch.h"
#include "tests/support/slowness.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait.h"
#include "tests/unit/manager/support/no_telemetry.h"
#include "tests/unit/manager/support/verdict_cases.h"
#include "verdict/reason_facts.h"
#include "verdict/reason_text.h"

namespace fedra::one_verdict_test {

using nlohmann::json;
using tracking::Mode;
using verdict_cases::ClusterCase;
using verdict_cases::Form;
using verdict_cases::JobCase;

namespace {

using Verdicts = std::map<std::string, verdict::Verdict>;  // by worker

const ObjectKey kWorkload{"ml", "job-train"};
const ObjectKey kJobKey{"ml", verdict_cases::kJob};

verdict_cases::Expected Codes(const verdict::Verdict& verdict) {
  verdict_cases::Expected codes = {std::string(verdict::ToString(verdict.outcome))};
  for (const verdict::Reason& reason : verdict.reasons) {
    codes.emplace_back(verdict::ToString(reason.code));
    INFO(codes.back() << " with " << verdict::TypeOf(reason.facts));
    CHECK(verdict::AreOf(reason.facts, reason.code));
  }
  return codes;
}

std::string Said(const verdict::Verdict& verdict) {
  std::string text = fmt::format("{} ({} of {} pods)", verdict::ToString(verdict.outcome),
                                 verdict.pods_fitting, verdict.pods_wanted);
  for (const verdict::Reason& reason : verdict.reasons)
    text += fmt::format("\n  {} [{}] {}", verdict::ToString(reason.code), reason.object,
                        verdict::MessageOf(reason));
  return text;
}

json ManifestOf(const json& pod) {
  return {{"apiVersion", "batch/v1"},
          {"kind", "Job"},
          {"metadata",
           {{"name", kJobKey.name},
            {"namespace", kJobKey.ns},
            {"labels", {{"kueue.x-k8s.io/queue-name", "gpu"}}}}},
          {"spec",
           {{"suspend", true},
            {"managedBy", "kueue.x-k8s.io/multikueue"},
            {"template", {{"spec", pod}}}}}};
}

// As Kueue's webhook leaves a pod.
json PodOf(const std::string& name, json spec) {
  spec["schedulingGates"] = json::array({{{"name", "kueue.x-k8s.io/admission"}}});
  return {
      {"apiVersion", "v1"},
      {"kind", "Pod"},
      {"metadata",
       {{"name", name},
        {"namespace", kJobKey.ns},
        {"labels", {{"kueue.x-k8s.io/queue-name", "gpu"}, {"kueue.x-k8s.io/managed", "true"}}}}},
      {"spec", std::move(spec)}};
}

// Of a group's pods, those that are alike.
std::string RoleOf(const JobCase& job, size_t pod) {
  const auto first = std::find(job.pods.begin(), job.pods.end(), job.pods[pod]);
  return fmt::format("role-{}", first - job.pods.begin());
}

json MemberOf(const JobCase& job, size_t pod) {
  json member = PodOf(fmt::format("{}-{}", kJobKey.name, pod), job.pods[pod]);
  member["metadata"]["labels"]["kueue.x-k8s.io/pod-group-name"] = kJobKey.name;
  member["metadata"]["annotations"] = {
      {"kueue.x-k8s.io/pod-group-total-count", std::to_string(job.pods.size())},
      {"kueue.x-k8s.io/role-hash", RoleOf(job, pod)}};
  return member;
}

// What a user submits.
std::vector<json> ManifestsOf(const JobCase& job) {
  if (job.form == Form::kBatchJob) return {ManifestOf(job.pods.front())};
  if (job.form == Form::kPod) return {PodOf(kJobKey.name, job.pods.front())};
  std::vector<json> members;
  for (size_t i = 0; i < job.pods.size(); ++i) members.push_back(MemberOf(job, i));
  return members;
}

ObjectKey WorkloadKeyOf(const JobCase& job) {
  return job.form == Form::kGroup ? kJobKey : kWorkload;
}

json PodSetsOf(const JobCase& job) {
  json sets = json::array();
  std::map<std::string, int> roles;
  for (size_t i = 0; i < job.pods.size(); ++i) {
    const bool is_group = job.form == Form::kGroup;
    const std::string name = is_group       ? RoleOf(job, i)
                             : sets.empty() ? std::string("main")
                                            : fmt::format("set-{}", sets.size());
    if (++roles[name] == 1)
      sets.push_back({{"name", name}, {"count", 1}, {"template", {{"spec", job.pods[i]}}}});
    for (json& set : sets)
      if (set["name"] == name) set["count"] = roles[name];
  }
  return sets;
}

// The Workload that Kueue makes of the job, which has quota and waits for our check. `objects`: as
// they were made.
json WorkloadOf(const JobCase& job, const std::vector<json>& objects) {
  json owners = json::array();
  for (const json& object : objects) {
    owners.push_back({{"apiVersion", object["apiVersion"]},
                      {"kind", object["kind"]},
                      {"name", object["metadata"]["name"]},
                      {"uid", object["metadata"]["uid"]}});
    if (job.form != Form::kGroup) owners.back()["controller"] = true;
  }
  json annotations = json::object();
  if (job.form == Form::kGroup) annotations["kueue.x-k8s.io/is-group-workload"] = "true";
  return {{"apiVersion", "kueue.x-k8s.io/v1beta2"},
          {"kind", "Workload"},
          {"metadata",
           {{"name", WorkloadKeyOf(job).name},
            {"namespace", kWorkload.ns},
            {"annotations", std::move(annotations)},
            {"ownerReferences", std::move(owners)}}},
          {"spec", {{"queueName", "gpu"}, {"podSets", PodSetsOf(job)}}},
          {"status", json::parse(R"({
             "admission": {"clusterQueue": "gpu", "podSetAssignments": [{"name": "main"}]},
             "admissionChecks": [{"name": "fedra", "state": "Pending", "message": "",
                                  "lastTransitionTime": "2026-11-21T16:00:00Z"}],
             "conditions": [{"type": "QuotaReserved", "status": "True", "reason": "QuotaReserved",
                             "message": "", "lastTransitionTime": "2026-11-21T16:00:00Z"}]})")}};
}

// As `check` reads its manifests. A batch/v1 Job has one pod set: what has more is read as the
// daemon reads it.
tracking::SubmittedJob SubmittedOf(const JobCase& job) {
  std::vector<json> manifests = ManifestsOf(job);
  std::vector<const json*> pods;
  for (const json& manifest : manifests) pods.push_back(&manifest);
  const auto submitted =
      job.form == Form::kGroup
          ? tracking::ParseSubmittedGroup(pods, tracking::PodAdapter(), kJobKey)
          : tracking::ParseSubmitted(manifests.front(), *tracking::BuiltInKindsAndPods(), "");
  INFO((submitted ? std::string() : submitted.error().message));
  REQUIRE(submitted);
  tracking::SubmittedJob asked = *submitted;
  if (job.form != Form::kBatchJob || job.pods.size() == 1) return asked;
  manifests.front()["metadata"]["uid"] = "uid";
  json stored = WorkloadOf(job, manifests);
  stored["metadata"]["uid"] = "uid";
  stored["metadata"]["resourceVersion"] = "1";
  const auto workload = tracking::ParseWorkload(stored);
  INFO((workload ? std::string() : workload.error().message));
  REQUIRE(workload);
  asked.requirement = workload->requirement;
  return asked;
}

// What the daemon has found last.
class Overheard final : public reconcile::NoTelemetry {
 public:
  void Judged(const ClusterName& cluster, const verdict::Verdict& verdict) override {
    heard_.With([&](Verdicts& heard) { heard[cluster.value] = verdict; });
  }
  Verdicts Heard() const {
    return heard_.With([](const Verdicts& heard) { return heard; });
  }
  void Forget() {
    heard_.With([](Verdicts& heard) { heard.clear(); });
  }

 private:
  mutable Guarded<Verdicts> heard_;
};

// In mode multikueue workers may be MultiKueueClusters; here they are configured all the same.
std::string ModeSettings(Mode mode) {
  return fmt::format("kueue: {{mode: {}{}}}\n{}", tracking::ToString(mode),
                     mode == Mode::kAdmissionCheck ? ", pods: true" : "",
                     mode == Mode::kMultiKueue ? "workersFrom: {multiKueueClusters: true}\n" : "");
}

// The clusters of the table, and the configuration that names them.
class Clusters {
 public:
  // `manager_denied`: what the manager does not let fedra read; empty: nothing.
  explicit Clusters(Mode mode, const std::string& manager_denied = {}) {
    verdict_cases::FurnishManager(manager_, mode);
    verdict_cases::GiveRights(manager_, manager_denied);
    const auto system = manager_.objects().Get("namespaces", {"", "kube-system"});
    REQUIRE(system);
    const tracking::Identity us{.origin = mode == Mode::kAdmissionCheck ? "fedra" : "multikueue",
                                .manager = (*system)["metadata"]["uid"],
                                .mode = mode};
    folder_.Write("manager.kubeconfig", manager_.Kubeconfig(verdict_cases::kReader));
    std::string names;
    for (const ClusterCase& row : verdict_cases::Clusters()) {
      workers_.push_back(
          std::make_unique<sim::Server>(sim::ServerOptions{.name = row.name}, engine_));
      verdict_cases::Furnish(*workers_.back());
      row.change(*workers_.back(), us);
      const std::string file = row.name + ".kubeconfig";
      folder_.Write(file, workers_.back()->Kubeconfig(verdict_cases::kReader));
      names += fmt::format("- {{name: {}, kubeconfig: {}}}\n", row.name, file);
    }
    config_ = folder_.Write("fedra.yaml",
                            "apiVersion: fedra.dev/v1alpha1\n"
                            "kind: Configuration\n"
                            "manager: {kubeconfig: manager.kubeconfig}\n"
                            "verification: {dependencies: Enforce}\n"
                            "store: {path: fedra.db}\n" +
                                ModeSettings(mode) + "workers:\n" + names);
  }

  sim::Server& manager() { return manager_; }
  sim::Server& worker(const std::string& name) {
    const auto rows = verdict_cases::Clusters();
    const auto at = std::ranges::find(rows, name, &ClusterCase::name);
    REQUIRE(at != rows.end());
    return *workers_[static_cast<size_t>(at - rows.begin())];
  }
  const std::string& config() const { return config_; }
  const TempFolder& folder() const { return folder_; }

  // Makes the job and its Workload, of the names that every job of its form has.
  void Submit(const JobCase& job) {
    std::vector<json> objects;
    for (const json& manifest : ManifestsOf(job)) {
      const auto made = manager_.objects().Create(manifest);
      REQUIRE(made);
      objects.push_back(*made);
    }
    const json workload = WorkloadOf(job, objects);
    REQUIRE(manager_.objects().Create(workload));
    REQUIRE(manager_.objects().Patch("workloads", WorkloadKeyOf(job),
                                     {{"status", workload["status"]}}, "status"));
  }
  void Delete(const JobCase& job) {
    REQUIRE(manager_.objects().Delete("workloads", WorkloadKeyOf(job)));
    const char* const plural = job.form == Form::kBatchJob ? "jobs" : "pods";
    for (const json& manifest : ManifestsOf(job))
      REQUIRE(manager_.objects().Delete(
          plural, {kJobKey.ns, manifest["metadata"]["name"].get<std::string>()}));
  }
  // WORKER/NAME of each clone.
  std::vector<std::string> Clones() const {
    std::vector<std::string> clones;
    for (size_t i = 0; i < workers_.size(); ++i)
      for (const json& clone : workers_[i]->objects().List("workloads"))
        clones.push_back(verdict_cases::Clusters()[i].name + "/" +
                         clone["metadata"]["name"].get<std::string>());
    return clones;
  }

 private:
  const std::shared_ptr<sim::Engine> engine_ = std::make_shared<sim::Engine>(2);
  const TempFolder folder_;
  sim::Server manager_{{.name = "manager"}, engine_};
  std::vector<std::unique_ptr<sim::Server>> workers_;
  std::string config_;
};

// On a busy machine a dozen clusters need their time to be listed.
std::string Patience() { return fmt::format("{}ms", Stretched(std::chrono::minutes(1)).count()); }

cli::FleetOptions LiveOptions(const Clusters& clusters) {
  return {.config = clusters.config(), .timeout = Patience()};
}

// What `check` says of every job, in the order of the table.
std::vector<Verdicts> Check(cli::FleetOptions options, Mode mode) {
  std::ostringstream out;
  if (mode == Mode::kAdmissionCheck) options.kinds = {&tracking::PodAdapter()};
  const auto fleet = cli::OpenFleet(options, {.out = out, .err = out});
  INFO((fleet ? out.str() : fleet.error().message));
  REQUIRE(fleet);
  CHECK(out.str().empty());
  std::vector<Verdicts> all;
  for (const JobCase& job : verdict_cases::Jobs(mode)) {
    Verdicts& verdicts = all.emplace_back();
    for (const auto& judged : cli::JudgeEverywhere(SubmittedOf(job), (*fleet)->workers))
      verdicts[judged.worker.value] = judged.verdict;
  }
  return all;
}

std::string WriteSnapshot(const Clusters& clusters) {
  const std::string file = clusters.folder().Path("snapshot.json");
  std::ostringstream out;
  cli::Terminal terminal{.out = out, .err = out};
  (void)cli::Snapshot(
      {.config = clusters.config(), .file = file, .workers = {}, .timeout = Patience()}, terminal);
  INFO(out.str());
  REQUIRE(std::filesystem::exists(file));
  return file;
}

void CheckSame(const Verdicts& found, const Verdicts& expected) {
  REQUIRE(found.size() == expected.size());
  for (const auto& [worker, verdict] : expected) {
    INFO(worker);
    CHECK(Said(found.at(worker)) == Said(verdict));
    CHECK(found.at(worker) == verdict);
  }
}

api::CheckRequest RequestOf(const JobCase& job) {
  api::CheckRequest asked;
  for (const json& manifest : ManifestsOf(job))
    asked.files.push_back({fmt::format("{}.json", asked.files.size()), manifest.dump()});
  return asked;
}

Result<text::Output> Asked(const api::CheckSource& daemon, const JobCase& job) {
  FEDRA_ASSIGN_OR_RETURN(const api::ReadCheck check, daemon.read(RequestOf(job)));
  CHECK(check.namespaces == std::set<std::string>{kJobKey.ns});
  api::CheckForm form;
  form.as_of.at = SystemClock().Now();
  return check.judge(form, api::Viewer::OfEverything());
}

// The codes of each worker's verdict, as the daemon answers to `check` of the job's manifests.
std::map<std::string, verdict_cases::Expected> AskedCodes(const api::CheckSource& daemon,
                                                          const JobCase& job) {
  const auto answer = Asked(daemon, job);
  INFO((answer ? answer->out : answer.error().message));
  REQUIRE(answer);
  std::map<std::string, verdict_cases::Expected> codes;
  const json document = json::parse(answer->out);
  for (const json& worker : document.at("items").at(0).at("workers")) {
    verdict_cases::Expected& found = codes[worker.at("name").get<std::string>()];
    found.push_back(worker.at("verdict").get<std::string>());
    for (const json& reason : worker.at("reasons"))
      found.push_back(reason.at("code").get<std::string>());
  }
  return codes;
}

// What the daemon answers of this worker, reason by reason.
std::vector<std::string> AskedMessages(const api::CheckSource& daemon, const JobCase& job,
                                       const std::string& worker) {
  const auto answer = Asked(daemon, job);
  REQUIRE(answer);
  std::vector<std::string> messages;
  const json document = json::parse(answer->out);
  for (const json& each : document.at("items").at(0).at("workers"))
    if (each.at("name") == worker)
      for (const json& reason : each.at("reasons")) messages.push_back(reason.at("message"));
  return messages;
}

std::map<std::string, verdict_cases::Expected> CodesOf(const Verdicts& verdicts) {
  std::map<std::string, verdict_cases::Expected> codes;
  for (const auto& [worker, verdict] : verdicts) codes[worker] = Codes(verdict);
  return codes;
}

// `until`: waits, and lets the daemon go on meanwhile.
void CheckAsked(const api::CheckSource& daemon, const JobCase& job, const Verdicts& expected,
                const std::function<bool(const std::function<bool()>& holds)>& until) {
  // A batch/v1 Job, which is what is asked about, has one pod set.
  if (job.form == Form::kBatchJob && job.pods.size() > 1) return;
  std::map<std::string, verdict_cases::Expected> asked;
  // Until the daemon's store says no more of the job that has gone.
  (void)until([&] { return (asked = AskedCodes(daemon, job)) == CodesOf(expected); });
  CHECK(asked == CodesOf(expected));
}

// Whenever it is looked at, more time has gone by than a check may take.
class HastyClock final : public Clock {
 public:
  WallTime Now() const override { return SystemClock().Now(); }
  SteadyTime Steady() const override {
    return SteadyTime(cli::kMostTime * 2 * looks_.fetch_add(1));
  }

 private:
  mutable std::atomic<int> looks_{1};
};

const Clock& Hasty() {
  static const HastyClock clock;
  return clock;
}

// `why`: how the message begins; of a source that is stopped anything.
void CheckEnds(const api::CheckSource& daemon, const JobCase& job, const std::string& why) {
  if (why.empty()) daemon.stop();
  const auto answer = Asked(daemon, job);
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code == ErrorCode::kUnavailable);
  CHECK_THAT(answer.error().message,
             Catch::Matchers::StartsWith(why.empty() ? "the daemon ends" : why));
}

// The daemon on the clusters, running.
class Daemon {
 public:
  explicit Daemon(const Clusters& clusters)
      : loaded_(config::Load(clusters.config(), {.now = SystemClock().Now()}).value()),
        store_(store::Store::Open({.path = loaded_.configuration.store.path}).value()),
        federation_(ToFederation(loaded_), threads_.loop, threads_.pool, *store_, overheard_,
                    SystemClock()) {
    REQUIRE(federation_.Start());
    // Where workers are discovered it waits until they are known.
    if (config::DiscoversWorkers(loaded_.configuration.workers_from))
      federation_.SetWorkers(ToWorkers(loaded_), /*drains=*/false, /*left_out=*/{});
  }
  ~Daemon() { federation_.Stop(); }

  bool Until(const std::function<bool()>& holds) {
    return WaitUntil([&] {
      federation_.Tick();
      return holds();
    });
  }
  // As if the configuration did not name this one any more.
  void Remove(const std::string& worker) {
    std::vector<reconcile::WorkerSettings> left = ToWorkers(loaded_);
    std::erase_if(left, [&](const auto& each) { return each.cluster.name.value == worker; });
    federation_.SetWorkers(std::move(left), /*drains=*/false, /*left_out=*/{});
  }
  api::CheckSource Check() { return cli::DaemonCheck(loaded_.configuration, federation_, *store_); }
  api::CheckSource CheckBy(const Clock& clock) {
    return cli::DaemonCheckBy(clock, loaded_.configuration, federation_, *store_);
  }
  Overheard& overheard() { return overheard_; }

 private:
  const config::Loaded loaded_;
  const std::unique_ptr<store::Store> store_;
  Threads threads_{4};
  Overheard overheard_;
  reconcile::Federation federation_;
};

// The first jobs of the table, as many as there are verdicts to expect. One after the other, so
// that none waits for the devices of another.
void CheckDaemon(Clusters& clusters, const std::vector<Verdicts>& expected, Mode mode) {
  Daemon daemon(clusters);
  const auto until = [&](const std::function<bool()>& holds) { return daemon.Until(holds); };
  const api::CheckSource check = daemon.Check();
  const std::vector<JobCase> jobs = verdict_cases::Jobs(mode);
  for (size_t i = 0; i < expected.size(); ++i) {
    INFO("the daemon, of " << jobs[i].what);
    // The lists of the workers end one after another, and a job that is dispatched is not judged
    // again. So one that left before the last of them ended is submitted once more.
    Verdicts heard;
    for (int attempt = 0; attempt < 3 && heard != expected[i]; ++attempt) {
      daemon.overheard().Forget();
      clusters.Submit(jobs[i]);
      (void)until([&] { return (heard = daemon.overheard().Heard()) == expected[i]; });
      clusters.Delete(jobs[i]);
      std::vector<std::string> left;
      (void)until([&] { return (left = clusters.Clones()).empty(); });
      CAPTURE(left);
      REQUIRE(left.empty());
    }
    CheckSame(heard, expected[i]);
    CheckAsked(check, jobs[i], expected[i], until);
  }
  CheckEnds(check, jobs.front(), {});
  CheckEnds(daemon.CheckBy(Hasty()), jobs.front(), "1 job on");
}

}  // namespace

TEST_CASE("the daemon, check, and check of a snapshot say the same of every worker") {
  const Mode mode = GENERATE(Mode::kAdmissionCheck, Mode::kMultiKueue, Mode::kDispatcher);
  INFO("kueue.mode " << tracking::ToString(mode));
  Clusters clusters(mode);
  const std::vector<JobCase> jobs = verdict_cases::Jobs(mode);
  const std::vector<Verdicts> live = Check(LiveOptions(clusters), mode);
  for (const ClusterCase& row : verdict_cases::Clusters()) {
    INFO(row.name << ": " << Said(live.front().at(row.name)));
    CHECK(Codes(live.front().at(row.name)) == row.For(mode));
  }
  for (size_t i = 0; i < jobs.size(); ++i) {
    INFO(jobs[i].what << ": " << Said(live[i].at("complete")));
    CHECK(Codes(live[i].at("complete")) == jobs[i].on_complete);
    INFO("another-template: " << Said(live[i].at("another-template")));
    if (!jobs[i].on_another.empty())
      CHECK(Codes(live[i].at("another-template")) == jobs[i].on_another);
    INFO("pod-in-the-way: " << Said(live[i].at("pod-in-the-way")));
    if (!jobs[i].on_taken.empty()) CHECK(Codes(live[i].at("pod-in-the-way")) == jobs[i].on_taken);
  }
  const std::vector<Verdicts> recorded = Check({.snapshot = WriteSnapshot(clusters)}, mode);
  for (size_t i = 0; i < jobs.size(); ++i) {
    INFO("a snapshot, of " << jobs[i].what);
    CheckSame(recorded[i], live[i]);
  }
  CheckDaemon(clusters, live, mode);
}

// Which cluster the manager is, its namespace kube-system says.
TEST_CASE("where the manager's UID may not be read, copies that name their manager are another's") {
  Clusters clusters(Mode::kAdmissionCheck, "namespaces");
  const Verdicts live = Check(LiveOptions(clusters), Mode::kAdmissionCheck).front();
  CHECK(Codes(live.at("complete")) == verdict_cases::Expected{"Yes"});
  for (const char* worker : {"our-earlier-copy", "another-managers-copy"}) {
    INFO(worker << ": " << Said(live.at(worker)));
    CHECK(Codes(live.at(worker)) == verdict_cases::Expected{"No", "NameConflict"});
  }
  CheckSame(Check({.snapshot = WriteSnapshot(clusters)}, Mode::kAdmissionCheck).front(), live);
  CheckDaemon(clusters, {live}, Mode::kAdmissionCheck);
}

TEST_CASE("of workers that are away or removed the daemon answers as it judges") {
  constexpr auto kMode = Mode::kAdmissionCheck;
  const std::string away = "complete", removed = "our-earlier-copy";
  Clusters clusters(kMode);
  const JobCase job = verdict_cases::Jobs(kMode).front();
  Daemon daemon(clusters);
  const api::CheckSource check = daemon.Check();
  REQUIRE(daemon.Until([&] { return AskedCodes(check, job)[away].front() == "Yes"; }));
  REQUIRE(daemon.Until([&] { return AskedCodes(check, job).contains(removed); }));

  sim::Faults gone;
  gone.refuse = true;
  clusters.worker(away).SetFaults(gone);
  daemon.Remove(removed);
  REQUIRE(daemon.Until([&] { return AskedCodes(check, job)[away].front() == "Unknown"; }));
  clusters.Submit(job);
  const auto heard = [&] { return daemon.overheard().Heard(); };
  REQUIRE(daemon.Until([&] { return heard().contains(away); }));
  const verdict::Verdict judged = heard().at(away);
  REQUIRE(judged.reasons.size() == 1);
  CHECK(AskedMessages(check, job, away) ==
        std::vector<std::string>{verdict::MessageOf(judged.reasons.front())});
  CHECK_FALSE(AskedCodes(check, job).contains(removed));
  clusters.Delete(job);
}

}  // namespace fedra::one_verdict_test
