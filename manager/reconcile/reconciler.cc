#include "manager/reconcile/reconciler.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/backoff.h"
#include "base/log.h"
#include "base/time.h"
#include "manager/placement/decide.h"

namespace fedra::reconcile {
namespace {

using placement::Contact;
using std::chrono::milliseconds;

// How long the start waits for workers that neither answer nor fail.
constexpr std::chrono::seconds kStartGrace{3};
// A wall-clock deadline is looked at again at least this often, so that a clock that jumps costs
// little.
constexpr std::chrono::seconds kLongestSleep{30};
// Of the five seconds that a stop may take.
constexpr milliseconds kDrain{3'000};
// How long until a workload is looked at again after a failure.
constexpr ExponentialBackoff kConflictBackoff{milliseconds(10), milliseconds(1'000)};
constexpr ExponentialBackoff kBusyBackoff{milliseconds(50), milliseconds(2'000)};
constexpr ExponentialBackoff kErrorBackoff{milliseconds(100), milliseconds(30'000)};
// Pods and claims change in bursts, and each change may concern every waiting workload: one look
// for all of a moment's changes.
constexpr milliseconds kDevicesSettle{20};
// The same for the pods of a running job, whose status is only mirrored: a job of a thousand pods
// must not become a thousand writes to the manager. MultiKueue waits 1 s (eventsBatchPeriod, Kueue
// 0.19).
constexpr milliseconds kProgressSettle{500};

// Where copies of the workload are or will be once the decision is carried out.
std::set<ClusterName> WorkersAfter(const Picture& picture, const placement::Decision& decision,
                                   const placement::Policy& policy) {
  std::set<ClusterName> workers;
  for (const placement::ClusterView& cluster : picture.clusters) {
    if (placement::HasOurs(cluster, policy)) workers.insert(cluster.name);
  }
  for (const placement::Action& action : decision.actions) {
    if (const auto* remove = std::get_if<placement::DeleteRemote>(&action))
      workers.erase(remove->cluster);
    if (const auto* nominate = std::get_if<placement::Nominate>(&action))
      workers.insert(nominate->clusters.begin(), nominate->clusters.end());
    if (const auto* create = std::get_if<placement::CreateClone>(&action))
      workers.insert(create->cluster);
  }
  return workers;
}

}  // namespace

Reconciler::Reconciler(ReconcilerSettings settings, http::HttpLoop& loop, WorkerPool& pool,
                       store::Store& store, Telemetry& telemetry, const Clock& clock)
    : settings_(std::move(settings)),
      telemetry_(telemetry),
      clock_(clock),
      started_(clock.Steady()),
      queue_(clock),
      records_(store),
      recorder_(store, clock),
      cluster_rows_(store, clock),
      manager_(settings_.manager_access, settings_.manager_options, loop, pool, clock,
               ListenToManager()),
      gatherer_(settings_.gather, manager_, workers_, in_flight_, copy_failures_),
      events_(manager_.cluster(), clock),
      keeper_(manager_, gatherer_, workers_, clock),
      gates_(clock, {}),
      bookkeeping_(store, records_, recorder_, events_, telemetry, clock),
      manager_writes_(manager_, bookkeeping_, telemetry, clock) {
  for (const WorkerSettings& worker : settings_.workers) {
    workers_.push_back(std::make_unique<Worker>(worker, loop, pool, clock, ListenTo()));
  }
  templates_ = std::make_unique<TemplateKeeper>(
      settings_.templates, manager_, workers_, gates_, copy_failures_, clock,
      [this](const ObjectKey& key) { AddAll(interest_.In({InputChange::Kind::kTemplate, key})); });
  worker_writes_ =
      std::make_unique<WorkerWrites>(settings_.gather.origin, manager_, workers_, *templates_,
                                     gates_, bookkeeping_, telemetry, clock);
  executor_ = std::make_unique<Executor>(manager_writes_, *worker_writes_, bookkeeping_);
}

Reconciler::~Reconciler() { Stop(); }

WorkerListener Reconciler::ListenTo() {
  return {
      .on_workload = [this](const ObjectKey& key) { queue_.Add(key); },
      .on_job =
          [this](const ObjectKey& job) {
            if (const auto workload = manager_.WorkloadOf(job)) queue_.Add(*workload);
          },
      .on_progress =
          [this](const ObjectKey& key) { queue_.AddAt(key, clock_.Steady() + kProgressSettle); },
      .on_input =
          [this](const Worker&, const InputChange& change) {
            if (change.kind == InputChange::Kind::kTemplate) templates_->Changed(change.key);
            const std::vector<ObjectKey> keys = interest_.In(change);
            if (change.kind == InputChange::Kind::kDevices) return AddSoon(keys);
            AddAll(keys);
          },
      .on_contact = [this](const Worker& worker) { OnContact(worker); }};
}

ManagerListener Reconciler::ListenToManager() {
  return {.on_workload = [this](const ObjectKey& key) { queue_.Add(key); },
          .on_progress = [this](const ObjectKey& key) { AddProgress(key); },
          .on_checks =
              [this] {
                AddChecks();
                // A check's scope, or that it is ours at all, may have changed.
                for (const auto& workload : manager_.workloads().cache().List()) {
                  if (!workload->Finished()) queue_.Add(workload->key);
                }
              },
          .on_template =
              [this](const ObjectKey& key) {
                AddAll(interest_.In({InputChange::Kind::kTemplate, key}));
                templates_->Changed(key);
              },
          .on_template_use = [this](const ObjectKey& key) { templates_->UseChanged(key); },
          .on_templates_health =
              [this] {
                for (const auto& worker : workers_) templates_->LookAtAll(*worker);
              }};
}

void Reconciler::AddAll(const std::vector<ObjectKey>& keys) {
  for (const ObjectKey& key : keys) queue_.Add(key);
}

void Reconciler::AddSoon(const std::vector<ObjectKey>& keys) {
  const SteadyTime when = clock_.Steady() + kDevicesSettle;
  for (const ObjectKey& key : keys) queue_.AddAt(key, when);
}

void Reconciler::AddProgress(const ObjectKey& key) {
  queue_.AddAt(key, clock_.Steady() + kProgressSettle);
}

void Reconciler::AddChecks() {
  for (const auto& check : manager_.checks().List()) {
    if (gatherer_.IsOurCheck(*check)) queue_.Add({"", check->name});
  }
}

void Reconciler::OnContact(const Worker& worker) {
  const Contact now = worker.contact();
  const Contact before =
      contact_.With([&](auto& contact) { return std::exchange(contact[worker.name()], now); });
  AddAll(interest_.InContact(worker.name()));
  if (now == Contact::kFull) {
    AddAll(records_.ResiduesOn(worker.name()));
    templates_->LookAtAll(worker);
  }
  if (now == before) return;
  AddChecks();
  if (now == Contact::kFull) {
    log::Info("worker is connected and listed", {{"cluster", worker.name().value}});
  } else if (now == Contact::kNone && worker.connection().phase == ConnectionPhase::kConnected) {
    // What the connection itself has to say is logged by the cluster.
    log::Warn("worker cannot be used",
              {{"cluster", worker.name().value}, {"error", worker.sync_problem()}});
  }
}

Result<void> Reconciler::Start() {
  FEDRA_ASSIGN_OR_RETURN(const std::vector<ObjectKey> announced, records_.Load());
  FEDRA_ASSIGN_OR_RETURN(const std::vector<ObjectKey> known, recorder_.Load());
  FEDRA_RETURN_IF_ERROR(cluster_rows_.Load());
  AddAll(announced);
  AddAll(known);
  manager_.Start();
  for (const auto& worker : workers_) worker->Start();
  return {};
}

bool Reconciler::MayBegin() const {
  if (!manager_.IsListed()) return false;
  const bool all_answered = std::all_of(workers_.begin(), workers_.end(),
                                        [](const auto& worker) { return worker->IsSettled(); });
  return all_answered || clock_.Steady() - started_ > kStartGrace;
}

void Reconciler::Tick() {
  cluster_rows_.Record(manager_, workers_);
  manager_.DropOverdue();
  for (const auto& worker : workers_) worker->DropOverdue();
  if (working_.load() || !MayBegin() || !manager_.IdentifySoon()) return;
  working_ = true;
  log::Info("working", {{"workers", std::to_string(workers_.size())},
                        {"workloads", std::to_string(manager_.workloads().cache().size())}});
  AddChecks();
  templates_->Start();
  for (size_t i = 0; i < std::max<size_t>(settings_.threads, 1); ++i)
    threads_.emplace_back([this] { Work(); });
}

void Reconciler::Stop() {
  queue_.Stop();
  templates_->Stop();
  // Running looks may finish what they began; what waits for an answer that does not come is cut
  // off. Either way a restart continues from the state of the clusters.
  looking_.WaitFor(kDrain, [](int looking) { return looking == 0; }, [](int&) {});
  for (const auto& worker : workers_) worker->Stop();
  manager_.Stop();
  events_.Stop();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
  threads_.clear();
  templates_->Join();
}

void Reconciler::Work() {
  while (const auto key = queue_.Get()) {
    looking_.With([](int& looking) { ++looking; });
    Look(*key);
    looking_.With([](int& looking) { --looking; });
    looking_.Notify();
    queue_.Done(*key);
  }
}

void Reconciler::Look(const ObjectKey& key) {
  const SteadyTime begin = clock_.Steady();
  // Keys without namespace are AdmissionChecks: every Workload has one.
  const Result<void> result = key.ns.empty() ? keeper_.Keep(key.name) : LookOnce(key);
  telemetry_.Reconciled(result ? "ok" : ToString(result.error().code), clock_.Steady() - begin);
  if (result) {
    failures_.With([&](auto& failures) { failures.erase(key); });
  } else {
    Retry(key, result.error());
  }
}

// A conflict is looked at again almost at once, a busy worker soon, anything else after a growing
// while; each of them less often the longer it lasts, and never before the server's own wish.
void Reconciler::Retry(const ObjectKey& key, const Error& error) {
  const bool conflict = error.code == ErrorCode::kConflict;
  const bool busy = error.code == ErrorCode::kUnavailable && error.retry_after;
  const ExponentialBackoff backoff = conflict ? kConflictBackoff
                                     : busy   ? kBusyBackoff
                                              : kErrorBackoff;
  const int failures = failures_.With([&](auto& all) { return ++all[key]; });
  const milliseconds delay =
      std::max(backoff.After(failures), error.retry_after.value_or(milliseconds(0)));
  // The first failures of a connection that just broke are not news.
  const bool news = failures > 2 && !conflict && !busy;
  log::Write(
      news ? log::Level::kWarn : log::Level::kDebug, "will try again",
      {{"workload", key.ToString()}, {"error", error.message}, {"in", FormatDuration(delay)}});
  queue_.AddAt(key, clock_.Steady() + delay);
}

Result<void> Reconciler::LookOnce(const ObjectKey& key) {
  interest_.Begin(key);
  const SteadyTime begin = clock_.Steady();
  const WallTime now = clock_.Now();
  const auto [picture, decision] = Decide(key, now);
  if (picture.judged) telemetry_.Verified(clock_.Steady() - begin);
  interest_.Update(picture, decision);
  TellTelemetry(picture);
  recorder_.Record(picture, decision);
  CountPhase(key, decision.phase);
  EndResidues(picture);
  if (decision.wake_at) {
    const auto wait =
        std::clamp<WallTime::duration>(*decision.wake_at - now, milliseconds(1), kLongestSleep);
    queue_.AddAt(key, clock_.Steady() + wait);
  }
  return executor_->Execute(picture, decision);
}

std::pair<Picture, placement::Decision> Reconciler::Decide(const ObjectKey& key, WallTime now) {
  store::PlacementRow remembered = records_.Find(key);
  if (BringBack(remembered, now)) records_.Put(remembered);
  const auto known_job =
      remembered.job.name.empty() ? std::nullopt : std::optional<ObjectKey>(remembered.job);
  while (true) {
    Picture picture = gatherer_.Gather(key, known_job);
    const bool same_life =
        picture.view.workload == nullptr || picture.view.workload->uid == remembered.uid;
    placement::PlacementRecord record;
    if (same_life) {
      record = ToRecord(remembered);
      record.placing = records_.Placing(key, now);
    }
    placement::Decision decision =
        placement::Decide(picture.view, picture.clusters, record, settings_.policy, now);
    if (!settings_.gather.devices || Settle(picture, decision))
      return {std::move(picture), std::move(decision)};
  }
}

bool Reconciler::Settle(const Picture& picture, const placement::Decision& decision) {
  Sent sent{.workload = picture.view.key,
            .job = picture.job,
            .claims = {},
            .demands = nullptr,
            .since = clock_.Steady()};
  if (const auto& workload = picture.view.workload; workload != nullptr) {
    sent.demands = workload->demands;
    sent.claims = workload->requirement.ClaimNames();
  }
  const std::set<ClusterName> workers = WorkersAfter(picture, decision, settings_.policy);
  const InFlight::Settled settled = in_flight_.Settle(
      std::move(sent), workers, gatherer_.SettledOn(picture, workers), picture.in_flight_version);
  if (settled.overdue_at) queue_.AddAt(picture.view.key, *settled.overdue_at);
  if (settled.outcome == InFlight::Outcome::kTakenBack)
    AddSoon(interest_.In({InputChange::Kind::kDevices, {}}));
  return settled.outcome != InFlight::Outcome::kOutdated;
}

// What was left behind on a worker out of reach is gone when the worker, listed again, shows
// nothing of ours.
void Reconciler::EndResidues(const Picture& picture) {
  for (const placement::ClusterView& cluster : picture.clusters) {
    if (cluster.contact == Contact::kFull && !placement::HasOurs(cluster, settings_.policy))
      records_.EndResidue(cluster.name, picture.view.key);
  }
}

void Reconciler::CountPhase(const ObjectKey& key, placement::Phase phase) {
  phases_.With([&](auto& phases) {
    if (phase == placement::Phase::kGone) {
      phases.erase(key);
    } else {
      phases[key] = phase;
    }
  });
}

std::map<std::string_view, int> Reconciler::WorkloadsByPhase() const {
  std::map<std::string_view, int> counts;
  for (const placement::Phase phase : placement::kPhases) counts[placement::ToString(phase)] = 0;
  phases_.With([&](const auto& phases) {
    for (const auto& [key, phase] : phases) ++counts[placement::ToString(phase)];
  });
  return counts;
}

void Reconciler::TellTelemetry(const Picture& picture) const {
  if (!picture.judged) return;
  for (const placement::ClusterView& cluster : picture.clusters)
    telemetry_.Judged(cluster.name, cluster.verdict);
}

}  // namespace fedra::reconcile
