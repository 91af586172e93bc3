// One verdict: what the daemon finds of a worker, what `check` finds when it asks the same worker,
// and what it finds in a snapshot are the same, for the same clusters and jobs.

#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "manager/cli/fleet/fleet_worker.h"
#include "manager/cli/fleet/live_fleet.h"
#include "manager/cli/snapshots/snapshot_recorder.h"
#include "manager/cli/snapshots/snapshot_reduce.h"
#include "manager/tracking/kueue_api.h"
#include "manager/tracking/resources.h"
#include "manager/tracking/submitted.h"
#include "tests/sim/fleet.h"
#include "tests/support/catch.h"
#include "tests/support/sim_access.h"
#include "tests/unit/manager/support/connected.h"
#include "verdict/reason_text.h"

using namespace fedra;
using nlohmann::json;

namespace {

const ObjectKey kKey{"ml", "job-train"};
const json kPod = {
    {"resourceClaims", json::array({{{"name", "g"}, {"resourceClaimTemplateName", "one-gpu"}}})}};
constexpr const char* kUser = "reader";

json Template(int count) {
  const json request = {{"name", "gpu"},
                        {"exactly",
                         {{"deviceClassName", "gpu.example.com"},
                          {"allocationMode", "ExactCount"},
                          {"count", count}}}};
  return {{"apiVersion", "resource.k8s.io/v1"},
          {"kind", "ResourceClaimTemplate"},
          {"metadata", {{"name", "one-gpu"}, {"namespace", "ml"}}},
          {"spec", {{"spec", {{"devices", {{"requests", json::array({request})}}}}}}}};
}

// A job "train" on the worker that the fedra of this management cluster made; empty: nobody's.
void PutJob(sim::Server& worker, const std::string& made_by) {
  json job = sim::MakeJob("train");
  if (!made_by.empty()) {
    job["metadata"]["labels"][std::string(tracking::kOriginLabel)] = "fedra";
    job["metadata"]["annotations"] = {{std::string(tracking::kWorkloadUidAnnotation), "earlier"},
                                      {std::string(tracking::kManagerUidAnnotation), made_by}};
  }
  REQUIRE(worker.objects().Create(job));
}

void Deny(sim::Server& worker, const std::string& resource) {
  worker.SetUser({.name = kUser,
                  .groups = {},
                  .token = "reader-token",
                  .allow = {{.verbs = {"*"}, .groups = {"*"}, .resources = {"*"}}},
                  .deny = {{.verbs = {"*"}, .groups = {"*"}, .resources = {resource}}}});
}

struct Case {
  std::string what;
  std::function<void(sim::Server& worker, const std::string& our_uid)> prepare;
  std::vector<std::string> expected;  // "Yes", and then the codes of the reasons
};

std::vector<Case> Cases() {
  const auto remove = [](const char* plural, const ObjectKey& key) {
    return [=](sim::Server& worker, const std::string&) {
      REQUIRE(worker.objects().Delete(plural, key));
    };
  };
  const auto deny = [](const char* resource) {
    return [=](sim::Server& worker, const std::string&) { Deny(worker, resource); };
  };
  return {
      {"everything is there", [](sim::Server&, const std::string&) {}, {"Yes"}},
      {"without Kueue",
       [](sim::Server& worker, const std::string&) {
         sim::Faults faults;
         faults.not_served = {"kueue.x-k8s.io/v1beta2"};
         worker.SetFaults(faults);
       },
       {"No", "ApiMissing"}},
      {"a copy of another manager of our origin",
       [](sim::Server& worker, const std::string&) { PutJob(worker, "another-cluster"); },
       {"No", "NameConflict"}},
      {"a copy of an earlier Workload of ours",
       [](sim::Server& worker, const std::string& our_uid) { PutJob(worker, our_uid); },
       {"Yes"}},
      {"a job that no fedra made",
       [](sim::Server& worker, const std::string&) { PutJob(worker, ""); },
       {"No", "NameConflict"}},
      {"Workloads may not be read", deny("workloads"), {"Unknown", "Forbidden"}},
      {"jobs may not be read", deny("jobs"), {"Unknown", "Forbidden"}},
      {"slices may not be read", deny("resourceslices"), {"Unknown", "Forbidden"}},
      {"no queue", remove("localqueues", {"ml", "gpu"}), {"No", "QueueMissing"}},
      {"no template",
       remove("resourceclaimtemplates", {"ml", "one-gpu"}),
       {"No", "TemplateMissing"}},
      {"no class", remove("deviceclasses", {"", "gpu.example.com"}), {"No", "DeviceClassMissing"}},
      {"no devices", remove("resourceslices", {"", "slice-1"}), {"No", "DriverMissing"}},
      {"neither queue nor devices",
       [](sim::Server& worker, const std::string&) {
         REQUIRE(worker.objects().Delete("localqueues", {"ml", "gpu"}));
         REQUIRE(worker.objects().Delete("resourceslices", {"", "slice-1"}));
       },
       {"No", "QueueMissing", "DriverMissing"}},
  };
}

std::vector<std::string> Codes(const verdict::Verdict& verdict) {
  std::vector<std::string> codes = {std::string(verdict::ToString(verdict.outcome))};
  for (const verdict::Reason& reason : verdict.reasons)
    codes.emplace_back(verdict::ToString(reason.code));
  return codes;
}

std::string Said(const verdict::Verdict& verdict) {
  std::string text(verdict::ToString(verdict.outcome));
  for (const verdict::Reason& reason : verdict.reasons)
    text += fmt::format("\n  {} [{}] {}", verdict::ToString(reason.code), reason.object,
                        verdict::MessageOf(reason));
  return text;
}

// A manager with a waiting workload, a worker that has all it needs, and everybody who judges it.
class Judges {
 public:
  Judges() {
    Deny(fleet_.server(0), "nothing");
    reconcile::AddDevices(fleet_.server(0), 2);
    for (sim::Server* server : {&fleet_.server(0), &fleet_.manager_server()}) {
      (void)server->objects().Delete("resourceclaimtemplates", {"ml", "one-gpu"});
      REQUIRE(server->objects().Create(Template(1)));
    }
    reconcile::AddWaitingWorkload(fleet_.manager_server(), kKey, kPod);
    fleet_.Start();
    REQUIRE(fleet_.manager().Identify());
    REQUIRE_FALSE(Uid().empty());
    // The first time everything is there.
    REQUIRE(Awaited({"Yes"}));
  }

  std::string Uid() { return fleet_.manager().uid(); }
  sim::Server& worker() { return fleet_.server(0); }

  verdict::Verdict Daemon() const { return gatherer_.Gather(kKey, {}).clusters.at(0).verdict; }
  bool Awaited(const std::vector<std::string>& codes) {
    return fleet_.WaitUntil([&] { return Codes(Daemon()) == codes; });
  }

  bool AwaitedWords(const std::string& words) {
    return fleet_.WaitUntil([&] { return Said(Daemon()) == words; });
  }

  verdict::Verdict Check() {
    cli::FleetSignal signal;
    cli::FleetWorker worker(Settings(), [&signal] { signal.Raise(); });
    const auto live = Read(worker, signal);
    worker.SetConnection(live->state(0), live->waited());
    worker.SetManager({&fleet_.manager().templates(), Uid()});
    return worker.Judge(Job()).verdict;
  }

  verdict::Verdict CheckSnapshot() {
    cli::FleetSignal signal;
    cli::WorkerRecorder recorder(Settings(), [&signal] { signal.Raise(); });
    const auto live = Read(recorder, signal);
    cli::SnapshotFile file;
    file.fedra_version = "0.1.0";
    file.origin = "fedra";
    file.manager_uid = Uid();
    file.workers.push_back(recorder.Recorded(live->state(0), live->server(0).get()));
    cli::RecordedResource& templates = file.manager_templates.emplace();
    templates.name = cli::ResourceName(tracking::kTemplates);
    templates.health = fleet_.manager().templates().health();
    for (const auto& item : fleet_.manager().templates().List())
      templates.items.push_back(cli::ReducedTemplate(*item));
    const auto reread = cli::ParseSnapshot(cli::ToText(file));
    REQUIRE(reread);
    cli::FleetWorker worker(reread->workers[0].settings, [] {});
    CHECK(cli::FeedRecorded(reread->workers[0], worker).empty());
    const auto original = cli::ManagerTemplatesOf(*reread);
    worker.SetManager({original.get(), reread->manager_uid});
    return worker.Judge(Job()).verdict;
  }

 private:
  static cli::FleetWorkerSettings Settings() {
    cli::FleetWorkerSettings settings;
    settings.name = ClusterName("east");
    settings.verified.devices.emplace();
    settings.drift = verify::Drift::kWarn;
    return settings;
  }
  static tracking::SubmittedJob Job() {
    json job = sim::MakeJob("train");
    job["spec"]["template"]["spec"].update(kPod);
    const auto submitted = tracking::ParseSubmitted(job, "");
    REQUIRE(submitted);
    return *submitted;
  }
  template <class Reader>
  std::unique_ptr<cli::LiveFleet> Read(Reader& reader, cli::FleetSignal& signal) {
    reconcile::WorkerSettings settings;
    settings.name = ClusterName("east");
    settings.access = AccessTo(fleet_.server(0), "reader-token");
    auto live = std::make_unique<cli::LiveFleet>(
        std::vector{settings},
        [&reader](size_t, const kube::ServerInfo* server) { return reader.Inputs(server); },
        [&reader](size_t) { return reader.IsListing(); }, signal);
    std::ostringstream out;
    live->Wait(std::chrono::seconds(30), {.out = out, .err = out});
    return live;
  }

  reconcile::Connected fleet_{{.workers = {"east"}, .token = "reader-token"}};
  reconcile::CopyFailures copy_failures_;
  reconcile::Gatherer gatherer_{
      {.controller_name = "fedra.dev/federation", .origin = "fedra", .devices = true},
      fleet_.manager(),
      fleet_.workers(),
      copy_failures_};
};

}  // namespace

TEST_CASE("the daemon, check, and check of a snapshot say the same of a worker") {
  for (const Case& row : Cases()) {
    INFO(row.what);
    Judges judges;
    row.prepare(judges.worker(), judges.Uid());
    judges.worker().DropConnections();
    const bool came = judges.Awaited(row.expected);
    INFO("the daemon: " << Said(judges.Daemon()));
    CHECK(came);
    const std::string checked = Said(judges.Check());
    CHECK(Said(judges.CheckSnapshot()) == checked);
    // Its lists end one after another.
    (void)judges.AwaitedWords(checked);
    CHECK(Said(judges.Daemon()) == checked);
  }
}
