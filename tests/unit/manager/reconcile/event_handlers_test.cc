// Which keys of which loop each event adds, and what it changes in the lines.

#include "manager/reconcile/event_handlers.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <semaphore>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/support/catch.h"
#include "tests/support/hand_clock.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait.h"
#include "tests/unit/manager/support/connected.h"

namespace fedra::reconcile::event_handlers_test {

using namespace std::chrono_literals;
using Keys = std::set<std::string>;
using Kind = InputChange::Kind;

namespace {

const ClusterName kEast("east");
const ObjectKey kTrain{"ml", "job-train"};  // in the manager's cache; its job is ml/train

uint64_t VersionOn(const DispatchOrder::Versions& seen, const ClusterName& worker) {
  const auto version = seen.devices->find(worker);
  return version == seen.devices->end() ? 0 : version->second;
}

ConnectedOptions East(bool devices) {
  ConnectedOptions options;
  options.workers = {kEast.value};
  options.devices = devices;
  return options;
}

// Of ml, for queue gpu: one pod with a claim from template one-gpu, a claim that others use, too,
// and a ConfigMap.
std::shared_ptr<const tracking::Workload> WorkloadOf(const std::string& name) {
  auto workload = std::make_shared<tracking::Workload>();
  workload->key = {"ml", name};
  workload->requirement.ns = "ml";
  workload->requirement.queue = "gpu";
  workload->requirement.pod_sets = {{"main", 1, {{"g", "one-gpu", ""}, {"s", "", "shared"}}}};
  workload->requirement.dependencies = {{tracking::Dependency::Kind::kConfigMap, "settings"}};
  return workload;
}

// Its one container wants a device.
nlohmann::json PodWithClaim() {
  return nlohmann::json::parse(R"({
      "containers": [{"name": "c", "image": "i", "resources": {"claims": [{"name": "g"}]}}],
      "resourceClaims": [{"name": "g", "resourceClaimTemplateName": "one-gpu"}]})");
}

// "ml/waits" looks for a worker, "ml/runs" is on east, of "ml/gone" something is left there.
struct Fixture {
  const bool devices;  // whether they are verified: without, there are no lines
  const TempFolder folder;
  Connected fleet{East(devices)};
  Guarded<Keys> ran;
  Guarded<std::vector<std::string>> in_order;  // the same
  std::binary_semaphore busy{0};               // "ml/busy" waits for it
  RunLoop<ObjectKey> workloads{
      {.subject = "workload"}, SystemClock(), [this](const ObjectKey& key) {
        return Ran("workload " + key.ToString());
      }};
  RunLoop<std::string> checks{{.subject = "check"}, SystemClock(), [this](const std::string& name) {
                                return Ran("check " + name);
                              }};
  RunLoop<ObjectKey> template_loop{
      {.subject = "template"}, SystemClock(), [this](const ObjectKey& key) {
        return Ran("template " + key.ToString());
      }};
  ConcurrencyLimiter limiter{SystemClock(), {}};
  CopyFailures copy_failures;
  TemplateReconciler templates{
      {.mode = templates::SyncPolicy::kReconcile, .us = {.origin = "fedra"}},
      fleet.manager().templates(),
      fleet.manager().identity(),
      fleet.workers(),
      limiter,
      copy_failures,
      SystemClock(),
      template_loop,
      [](const ObjectKey&) {}};
  WakeIndex wake_index;
  std::unique_ptr<store::Store> store =
      store::Store::Open({.path = folder.Path("fedra.db")}).value();
  PlacementStore placements{*store};
  CopyPlaces places;
  Gatherer gatherer{
      {.controller_name = "fedra.dev/federation", .us = {.origin = "fedra"}, .devices = devices},
      fleet.manager(),
      fleet.workers(),
      copy_failures};
  DispatchOrder order;
  EventHandlers handlers{
      {workloads, checks, templates},
      {wake_index, placements, fleet.manager(), fleet.workers(), places, gatherer, order},
      SystemClock()};

  explicit Fixture(bool with_devices = false, bool connects = true) : devices(with_devices) {
    if (connects) Connect();
  }
  void Connect() {
    AddWaitingWorkload(fleet.manager_server(), kTrain,
                       devices ? PodWithClaim() : nlohmann::json::object());
    fleet.Start();
    REQUIRE(fleet.WaitUntil([&] {
      return fleet.manager().jobs().WorkloadOf({"Job.batch", {"ml", "train"}}).has_value();
    }));
    Seen("waits", /*looks=*/true);
    Seen("runs", /*looks=*/false);
    REQUIRE(placements.AddResidue({kEast, {"ml", "gone"}, "uid-gone", "Job", {"ml", "gone"}, {}}));
    workloads.Start();
    checks.Start();
    template_loop.Start();
  }
  ~Fixture() {
    workloads.Stop();
    checks.Stop();
    template_loop.Stop();
    workloads.Join();
    checks.Join();
    template_loop.Join();
  }

  void Seen(const std::string& name, bool looks) {
    auto workload = std::make_shared<tracking::Workload>(*WorkloadOf(name));
    if (!looks) workload->cluster_name = kEast.value;
    Seen(std::move(workload), looks);
  }
  void Seen(std::shared_ptr<const tracking::Workload> workload, bool looks) {
    Gathered gathered;
    gathered.view.key = workload->key;
    gathered.view.check = "fedra";
    gathered.view.workload = std::move(workload);
    gathered.judged = looks;
    wake_index.Update(gathered, {});
  }
  Result<void> Ran(std::string key) {
    if (key == "workload ml/busy") busy.acquire();
    in_order.With([&](auto& keys) { keys.push_back(key); });
    ran.With([&](Keys& keys) { keys.insert(std::move(key)); });
    ran.Notify();
    return {};
  }
  // What the event makes run, in all loops.
  Keys After(const Keys& expected, const std::function<void()>& event) {
    ran.With([](Keys& keys) { keys.clear(); });
    event();
    const auto all = [&](const Keys& keys) { return keys.size() >= expected.size(); };
    ran.WaitFor(10s, all, [](Keys&) {});
    // What else there may be runs before these.
    workloads.AddAfter({"", "last"}, 2 * kDeviceDebounce);
    checks.AddAfter("last", 2 * kDeviceDebounce);
    template_loop.AddAfter({"", "last"}, 2 * kDeviceDebounce);
    const Keys last{"workload last", "check last", "template last"};
    const auto ended = [&](const Keys& keys) { return std::ranges::includes(keys, last); };
    return ran.WaitFor(10s, ended, [&](Keys& keys) {
      CHECK(ended(keys));
      std::erase_if(keys, [&](const std::string& key) { return last.contains(key); });
      return keys;
    });
  }
};

}  // namespace

TEST_CASE("every event of a cluster runs the keys that it concerns, and no others") {
  Fixture f;
  const ManagerListener manager = f.handlers.ForManager();
  const WorkerListener worker = f.handlers.ForWorker(kEast);
  const auto input = [&](Kind kind, const ObjectKey& key) {
    return [&worker, &f, kind, key] { worker.on_input(f.fleet.worker(0), {kind, key}); };
  };
  struct Row {
    const char* what;
    std::function<void()> event;
    Keys expected;
  };
  const std::string train = "workload " + kTrain.ToString();
  const std::vector<Row> rows = {
      {"a Workload", [&] { manager.on_workload({"ml", "any"}); }, {"workload ml/any"}},
      {"pods that got on", [&] { manager.on_progress({"ml", "any"}); }, {"workload ml/any"}},
      {"another place of a part of theirs",
       [&] { manager.on_siblings({{"ml", "any"}, {"ml", "other"}}); },
       {"workload ml/any", "workload ml/other"}},
      {"an AdmissionCheck", [&] { manager.on_checks(); }, {"check fedra", train}},
      {"its condition", [&] { manager.on_check_status(); }, {"check fedra"}},
      {"Kueue's contact with a worker",
       [&] { manager.on_kueue_reach(kEast); },
       {"workload ml/runs", "workload ml/waits"}},
      {"another order of those in no line", [&] { manager.on_order({kTrain}); }, {}},
      {"a template",
       [&] { manager.on_template({"ml", "one-gpu"}); },
       {"template ml/one-gpu", "workload ml/waits"}},
      {"a template that no job names",
       [&] { manager.on_template({"ml", "two-gpus"}); },
       {"template ml/two-gpus"}},
      {"its use", [&] { manager.on_template_use({"ml", "one-gpu"}); }, {"template ml/one-gpu"}},
      {"the checks of its queue",
       [&] { manager.on_queue_checks({{"ml", "any"}}); },
       {"workload ml/any"}},
      {"a clone", [&] { worker.on_workload({"ml", "any"}); }, {"workload ml/any"}},
      {"a remote job", [&] { worker.on_job({"Job.batch", {"ml", "train"}}); }, {train}},
      {"a job of that name and of another kind",
       [&] { worker.on_job({"JobSet.jobset.x-k8s.io", {"ml", "train"}}); },
       {}},
      {"a job of no Workload", [&] { worker.on_job({"Job.batch", {"ml", "unknown"}}); }, {}},
      {"its progress", [&] { worker.on_progress({"ml", "any"}); }, {"workload ml/any"}},
      {"a queue", input(Kind::kQueue, {"ml", "gpu"}), {"workload ml/waits"}},
      {"another queue", input(Kind::kQueue, {"ml", "cpu"}), {}},
      {"a template there",
       input(Kind::kTemplate, {"ml", "one-gpu"}),
       {"template ml/one-gpu", "workload ml/waits"}},
      {"a ConfigMap", input(Kind::kDependency, {"ml", "settings"}), {"workload ml/waits"}},
      {"its namespace", input(Kind::kNamespace, {"", "ml"}), {"workload ml/waits"}},
      {"another namespace", input(Kind::kNamespace, {"", "hpc"}), {}},
      {"a claim", input(Kind::kClaim, {"ml", "shared"}), {"workload ml/waits"}},
      {"another claim", input(Kind::kClaim, {"ml", "mine"}), {}},
      {"any DeviceClass", input(Kind::kClass, {"", "a.example.com"}), {"workload ml/waits"}},
      {"any ClusterQueue", input(Kind::kClusterQueue, {"", "cpu"}), {"workload ml/waits"}},
      {"devices", input(Kind::kDevices, {}), {"workload ml/waits"}},
      {"taken devices", input(Kind::kDevicesTaken, {}), {"workload ml/waits"}},
      {"other devices", input(Kind::kDevicesOffered, {}), {"workload ml/waits"}},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    CHECK(f.After(row.expected, row.event) == row.expected);
  }
}

TEST_CASE("a change of an elastic job's copy runs all of its slices, which may have copies there") {
  Fixture f;
  const ObjectKey second{"ml", "train-2"};
  auto& objects = f.fleet.manager_server().objects();
  const nlohmann::json elastic{{"kueue.x-k8s.io/elastic-job", "true"}};
  REQUIRE(objects.Patch("workloads", kTrain, {{"metadata", {{"annotations", elastic}}}}));
  nlohmann::json slice = *objects.Get("workloads", kTrain);
  slice["metadata"] = {{"name", second.name},
                       {"namespace", second.ns},
                       {"annotations", elastic},
                       {"ownerReferences", slice["metadata"]["ownerReferences"]}};
  slice.erase("status");
  REQUIRE(objects.Create(slice));
  const tracking::JobKey job{"Job.batch", {"ml", "train"}};
  REQUIRE(f.fleet.WaitUntil([&] { return f.fleet.manager().jobs().SlicesOf(job).size() == 2; }));
  const Keys expected{"workload " + kTrain.ToString(), "workload " + second.ToString()};
  CHECK(f.After(expected, [&] { f.handlers.ForWorker(kEast).on_job(job); }) == expected);
  for (const ObjectKey& key : {kTrain, second}) CHECK(f.places.Of(key).contains(kEast));
}

TEST_CASE("what comes when all is listed does not wait behind what the lists have brought") {
  constexpr int kListed = 50;
  Fixture f(/*with_devices=*/false, /*connects=*/false);
  const ManagerListener manager = f.handlers.ForManager();
  const WorkerListener worker = f.handlers.ForWorker(kEast);
  for (int i = 0; i < kListed; ++i) manager.on_workload({"ml", fmt::format("listed-{}", i)});
  f.workloads.AddNext({"ml", "busy"});
  f.workloads.Start();
  REQUIRE(WaitUntil([&] { return f.workloads.working() == 1; }));
  // The worker answers late.
  for (int i = 0; i < kListed; ++i) worker.on_workload({"ml", fmt::format("runs-{}", i)});
  f.fleet.Start();
  manager.on_workload({"ml", "new"});
  worker.on_workload({"ml", "admitted"});
  manager.on_queue_checks({{"ml", "of-a-queue"}});
  f.busy.release();
  REQUIRE(WaitUntil([&] { return f.workloads.held() == 0 && f.workloads.working() == 0; }));
  const std::vector<std::string> ran = f.in_order.Copy();
  REQUIRE(ran.size() == 2 * kListed + 4);
  CHECK(ran[1] == "workload ml/admitted");
  CHECK(ran[2] == "workload ml/new");
}

TEST_CASE("when the manager's templates can be read again, copies are looked at on all workers") {
  Fixture f;
  const ManagerListener manager = f.handlers.ForManager();
  f.copy_failures.Record(kEast, {"ml", "refused"}, {});
  const Keys expected{"template ml/refused"};
  CHECK(f.After(expected, [&] { manager.on_templates_health(); }) == expected);
}

TEST_CASE("a kind of job that the manager begins to serve is read on every worker") {
  Fixture f;
  const verify::WorkerObjects& east = f.fleet.worker(0).objects();
  const tracking::JobAdapter* job_set = east.kinds().FindName("JobSet");
  REQUIRE(job_set != nullptr);
  REQUIRE_FALSE(east.Uses(*job_set));
  f.handlers.ForManager().on_kinds({job_set});
  CHECK(east.Uses(*job_set));
}

namespace {

// The lines as events find them: each workload that waits has been looked at, and none holds
// another.
struct Line : Fixture {
  const ClusterName west{"west"};  // not a member; only of the lines
  const ManagerListener manager = handlers.ForManager();
  const WorkerListener worker = handlers.ForWorker(kEast);
  const std::shared_ptr<const dra::DeviceSet> cards =
      std::make_shared<const dra::DeviceSet>(std::vector<uint64_t>{1, 2});

  Line() : Fixture(/*with_devices=*/true) { Settle(); }

  static placement::Contender Of(const std::string& name, std::chrono::seconds since) {
    placement::Contender contender;
    contender.rank = {.since = WallTime{since}, .workload = {"ml", name}};
    contender.order.policy = placement::OrderPolicy::kBestEffort;
    return contender;
  }
  placement::Lines::Answer Look(const std::string& name, std::chrono::seconds since,
                                placement::Bid::Chance chance,
                                const std::shared_ptr<const dra::DeviceSet>& could_serve) {
    const DispatchOrder::Versions seen = order.Now();
    placement::Bids bids;
    for (const ClusterName& each : {kEast, west}) {
      bids[each] = {
          .chance = chance, .as_of = VersionOn(seen, each), .missing = 1, .devices = could_serve};
    }
    return order.Offer(Of(name, since), std::move(bids), seen, WallTime{since});
  }
  // "ml/waits" waits for cards that are in use; of "ml/none" no card could serve it.
  void Settle() {
    order.Leave(kTrain, order.Now());
    Look("waits", 1s, placement::Bid::Chance::kWaits, cards);
    Look("none", 2s, placement::Bid::Chance::kNone, nullptr);
  }
  // What ml/gone would take of east was seen, and none of its objects shows it any more.
  void EndAssumption() {
    placement::Assumption assumed;
    assumed.workload = {"ml", "gone"};
    assumed.claims = {"shared"};
    AssumeCache& cache = fleet.worker(0).assumed();
    REQUIRE(cache.Reserve(assumed, {cache.version()}));
    cache.Observe(assumed.workload, [&] { return std::optional(assumed); });
    worker.on_workload(assumed.workload);
  }
  // Who is first to hold one that comes last and fits everywhere, on which worker.
  Keys Holders() {
    const auto answer =
        Look("last", std::chrono::hours(1'000'000), placement::Bid::Chance::kFits, cards);
    Keys holders;
    for (const auto& [on, turn] : answer.workers)
      if (turn.after) holders.insert(turn.after->name + " on " + on.value);
    return holders;
  }
};

}  // namespace

TEST_CASE_METHOD(Line, "every event of a cluster tells the lines what does not hold any more") {
  const auto input = [&](Kind kind, const ObjectKey& key) {
    return [this, kind, key] { worker.on_input(fleet.worker(0), {kind, key}); };
  };
  struct Row {
    const char* what;
    std::function<void()> event;
    Keys holders;
  };
  const Keys none, on_east{"waits on east"}, anywhere{"waits on east", "waits on west"};
  const std::vector<Row> rows = {
      {"a queue", input(Kind::kQueue, {"ml", "gpu"}), on_east},
      {"another queue", input(Kind::kQueue, {"ml", "cpu"}), none},
      {"a ConfigMap", input(Kind::kDependency, {"ml", "settings"}), on_east},
      {"a template there", input(Kind::kTemplate, {"ml", "one-gpu"}), on_east},
      {"a claim: where it is decides about all workers", input(Kind::kClaim, {"ml", "shared"}),
       anywhere},
      {"a template", [&] { manager.on_template({"ml", "one-gpu"}); }, anywhere},
      {"a template that no job names", [&] { manager.on_template({"ml", "two-gpus"}); }, none},
      {"devices may have become free", input(Kind::kDevices, {}), on_east},
      {"taken devices", input(Kind::kDevicesTaken, {}), none},
      {"other devices concern those, too, that could use none",
       input(Kind::kDevicesOffered, {}),
       {"none on east"}},
      {"an assumption that ended", [&] { EndAssumption(); }, on_east},
      {"contact: nobody may go past those that were not looked at since",
       [&] { worker.on_contact(fleet.worker(0)); },
       {"none on east"}},
      {"contact as it was", [&] { worker.on_contact(fleet.worker(0)); }, none},
      {"membership", [&] { handlers.OnMembership(kEast); }, on_east},
      {"a Workload that looks for a worker is in line before it is looked at",
       [&] { manager.on_workload(kTrain); },
       {"job-train on east", "job-train on west"}},
      {"an AdmissionCheck concerns all of them",
       [&] { manager.on_checks(); },
       {"job-train on east", "job-train on west"}},
      {"another order of one that waits",
       [&] { manager.on_order({kTrain, {"ml", "runs"}}); },
       {"job-train on east", "job-train on west"}},
      {"a Workload that does not", [&] { manager.on_workload({"ml", "runs"}); }, none},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    Settle();
    REQUIRE(Holders() == none);
    row.event();
    CHECK(Holders() == row.holders);
  }
}

namespace {

// kTrain is dispatched to east, or is not any more, and the manager's cache shows it.
struct Dispatched : Line {
  AssumeCache& assumed = fleet.worker(0).assumed();

  // What the handlers were told before does not count.
  void Dispatch(bool is_sent) {
    const nlohmann::json check = {{"name", "fedra"},
                                  {"state", "Pending"},
                                  {"message", is_sent ? "sent to east" : ""},
                                  {"lastTransitionTime", "2026-11-21T16:00:00Z"}};
    nlohmann::json status = {{"admissionChecks", nlohmann::json::array({check})},
                             {"nominatedClusterNames", nullptr}};
    if (is_sent) status["nominatedClusterNames"] = {kEast.value};
    REQUIRE(fleet.manager_server().objects().Patch("workloads", kTrain, {{"status", status}},
                                                   "status"));
    REQUIRE(fleet.WaitUntil([&] {
      const auto workload = fleet.manager().jobs().workloads().Find(kTrain);
      return workload != nullptr && workload->nominated.empty() != is_sent;
    }));
    places.Take(kTrain);
  }
  size_t Coming() const { return assumed.Others({})->size(); }
  uint64_t FreedOnEast() const { return VersionOn(order.Now(), kEast); }
};

}  // namespace

TEST_CASE_METHOD(Dispatched,
                 "every event that may show a copy keeps in step where it is, and what it takes") {
  struct Row {
    const char* what;
    std::function<void()> event;
  };
  const std::vector<Row> rows = {
      {"a Workload that was sent there", [&] { manager.on_workload(kTrain); }},
      {"an AdmissionCheck", [&] { manager.on_checks(); }},
      {"a clone", [&] { worker.on_workload(kTrain); }},
      {"a remote job", [&] { worker.on_job({"Job.batch", {"ml", "train"}}); }},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    Dispatch(true);
    REQUIRE(Coming() == 0);
    const uint64_t version = assumed.version();
    row.event();
    CHECK(places.Of(kTrain) == std::set{kEast});
    CHECK(Coming() == 1);
    CHECK(assumed.version() > version);

    Dispatch(false);
    places.Add(kTrain, kEast);  // as the last look has left it
    const uint64_t freed = FreedOnEast();
    row.event();
    CHECK(Coming() == 0);
    CHECK(FreedOnEast() == freed + 1);
  }
}

TEST_CASE_METHOD(Line, "an event counts that devices there may have become free, once") {
  struct Row {
    Kind kind;
    uint64_t more;
  };
  for (const Row& row : {Row{Kind::kDevices, 1}, Row{Kind::kDevicesOffered, 1},
                         Row{Kind::kDevicesTaken, 0}, Row{Kind::kClass, 0}}) {
    CAPTURE(static_cast<int>(row.kind));
    const auto version = [&] { return VersionOn(order.Now(), kEast); };
    const uint64_t before = version();
    worker.on_input(fleet.worker(0), {row.kind, {}});
    CHECK(version() == before + row.more);
  }
}

TEST_CASE_METHOD(Line, "what has come and gone keeps neither a key, nor a place, nor its turn") {
  const ObjectKey gone{"ml", "waits"}, unused{"ml", "unused"};
  for (const ObjectKey& key : {gone, kTrain}) {
    workloads.AddAfter(key, 1h);
    places.Add(key, kEast);
  }
  template_loop.AddAfter(unused, 1h);
  template_loop.AddAfter({"ml", "one-gpu"}, 1h);  // that a workload names
  order.Invalidate({gone}, std::nullopt);         // it holds others until it has been looked at
  REQUIRE(Holders() == Keys{"waits on east", "waits on west"});
  handlers.ForgetGone();
  // Those that it held back are looked at.
  CHECK(WaitUntil([&] { return workloads.held() == 1; }));
  CHECK(template_loop.held() == 1);
  CHECK(places.Of(gone).empty());
  CHECK(places.Of(kTrain) == std::set<ClusterName>{kEast});
  CHECK(Holders().empty());
}

TEST_CASE_METHOD(Line, "those that stood behind one that stands later now are looked at again") {
  order.Join(Of(kTrain.name, 3s));  // it is younger than that
  REQUIRE(Holders() == Keys{"job-train on east", "job-train on west"});
  const Keys expected{"workload " + kTrain.ToString(), "workload ml/last"};
  CHECK(After(expected, [&] { manager.on_workload(kTrain); }) == expected);
  order.Join(Of(kTrain.name, 3s));
  REQUIRE(Holders() == Keys{"job-train on east", "job-train on west"});
  CHECK(After(expected, [&] { manager.on_order({kTrain}); }) == expected);
}

TEST_CASE(
    "a worker's contact concerns those that look and those that it has; checks only a change") {
  Fixture f;
  const WorkerListener worker = f.handlers.ForWorker(kEast);
  const auto contact = [&] { worker.on_contact(f.fleet.worker(0)); };
  // Another replica left it there; its Workload is gone, and nothing is remembered of it.
  REQUIRE(f.fleet.server(0).objects().Create({{"apiVersion", "kueue.x-k8s.io/v1beta2"},
                                              {"kind", "Workload"},
                                              {"metadata", {{"name", "left"}, {"namespace", "ml"}}},
                                              {"spec", {{"queueName", "gpu"}}}}));
  REQUIRE(f.fleet.WaitUntil(
      [&] { return f.fleet.worker(0).objects().clones().Find({"ml", "left"}) != nullptr; }));
  const Keys changed{"workload ml/waits", "workload ml/runs", "workload ml/gone", "check fedra",
                     "workload ml/left"};
  CHECK(f.After(changed, contact) == changed);
  CHECK(f.After({}, contact).empty());  // nothing of it is different

  sim::Faults away;
  away.refuse = true;
  f.fleet.server(0).SetFaults(away);
  REQUIRE(
      f.fleet.WaitUntil([&] { return f.fleet.worker(0).contact() == placement::Contact::kNone; }));
  const Keys lost{"workload ml/waits", "workload ml/runs", "check fedra"};
  CHECK(f.After(lost, contact) == lost);

  // Another worker under the same name begins anew.
  const auto member = [&] { f.handlers.OnMembership(kEast); };
  CHECK(f.After(lost, member) == lost);
}

TEST_CASE("a worker that comes back wakes the first of each class of those that wait, once") {
  constexpr int kWaiting = 1'000, kClasses = 20;
  Fixture f;
  const WorkerListener worker = f.handlers.ForWorker(kEast);
  const auto contact = [&] { worker.on_contact(f.fleet.worker(0)); };
  Keys expected{"workload ml/waits", "workload ml/runs", "workload ml/gone", "check fedra"};
  for (int i = 0; i < kClasses; ++i) {
    // Every other class needs no devices.
    dra::PodDemand demand;
    if (i % 2 == 0) demand.claims = {{"g", "one-gpu", ""}};
    const auto demands = std::make_shared<const std::vector<dra::PodDemand>>(1, demand);
    for (int j = 0; j < kWaiting / kClasses; ++j) {
      auto workload = std::make_shared<tracking::Workload>(*WorkloadOf(fmt::format("{}-{}", i, j)));
      workload->created = WallTime(std::chrono::seconds(j));
      workload->requirement.pod_sets.clear();
      workload->requirement.demands = demands;
      if (j < 2) expected.insert("workload " + workload->key.ToString());
      f.Seen(std::move(workload), /*looks=*/true);
    }
  }
  CHECK(f.After(expected, contact) == expected);
  // Whatever its lists report beside: three times for each of them.
  const auto reports = [&] {
    for (int i = 0; i < 33; ++i) contact();
  };
  CHECK(f.After({}, reports).empty());
  sim::Faults away;
  away.refuse = true;
  f.fleet.server(0).SetFaults(away);
  const auto is = [&](placement::Contact what) {
    return f.fleet.WaitUntil([&] { return f.fleet.worker(0).contact() == what; });
  };
  REQUIRE(is(placement::Contact::kNone));
  f.fleet.server(0).SetFaults({});
  REQUIRE(is(placement::Contact::kFull));
  const uint64_t turns = f.workloads.turns();
  f.After({}, reports);
  REQUIRE(WaitUntil([&] { return f.workloads.held() == 0; }));
  CHECK(f.workloads.turns() - turns <= 3 * expected.size());
}

TEST_CASE(
    "who waits behind others is judged anew without a worker when it stays away, not before") {
  constexpr int kWaiting = 100;
  Fixture f;
  HandClock clock;
  EventHandlers handlers{{f.workloads, f.checks, f.templates},
                         {f.wake_index, f.placements, f.fleet.manager(), f.fleet.workers(),
                          f.places, f.gatherer, f.order},
                         clock};
  const WorkerListener worker = handlers.ForWorker(kEast);
  const auto demands = std::make_shared<const std::vector<dra::PodDemand>>(1);
  for (int i = 0; i < kWaiting; ++i) {
    auto workload = std::make_shared<tracking::Workload>(*WorkloadOf(fmt::format("j{}", i)));
    workload->requirement.pod_sets.clear();
    workload->requirement.demands = demands;
    f.Seen(std::move(workload), /*looks=*/true);
  }
  const auto see = [&](bool refuses) {
    sim::Faults faults;
    faults.refuse = refuses;
    f.fleet.server(0).SetFaults(faults);
    const auto is_seen = [&](ConnectionPhase phase) {
      return f.fleet.worker(0).Readable().phase.first == phase;
    };
    REQUIRE(f.fleet.WaitUntil([&] {
      if (refuses) return is_seen(ConnectionPhase::kUnreachable);
      return is_seen(ConnectionPhase::kConnected) && f.fleet.worker(0).HasAnswered();
    }));
    worker.on_contact(f.fleet.worker(0));
  };
  const auto overdue_after = [&](std::chrono::seconds time) {
    clock.Advance(time);
    handlers.NoteLasting();
    return f.wake_index.Overdue(2 * kWaiting).size();
  };
  see(/*refuses=*/false);
  for (int flap = 0; flap < 3; ++flap) {
    see(/*refuses=*/true);
    CHECK(overdue_after(20s) == 0);
    see(/*refuses=*/false);
    CHECK(overdue_after(40s) == 0);
  }
  see(/*refuses=*/true);
  CHECK(overdue_after(40s) >= kWaiting);
  CHECK(overdue_after(40s) == 0);
  see(/*refuses=*/false);
  CHECK(overdue_after(40s) >= kWaiting);
}

}  // namespace fedra::reconcile::event_handlers_test
