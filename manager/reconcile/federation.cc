#include "manager/reconcile/federation.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "manager/reconcile/removed_worker.h"

namespace fedra::reconcile {
namespace {

// How long the start waits for workers that neither answer nor fail.
constexpr std::chrono::seconds kStartGrace{3};
// Of the five seconds that a stop may take.
constexpr std::chrono::milliseconds kDrain{3'000};
// They wait for the manager only, and for workers within the limiter's budget.
constexpr size_t kTemplateThreads = 2;

// How often it is looked whether removed workers can be let go.
constexpr std::chrono::seconds kReleaseInterval{1};

// A standby that holds fewer keys need not ask which of them are of something.
constexpr size_t kLeastGone = 64;
// Per tick, of those that wait behind others of their class: a few per cent of a core, however many
// they are.
constexpr size_t kMostOverdue = 10;

// A worker that was not a member yet has not heard of kinds that the manager has just reported.
void ShareKinds(const ManagerCluster& manager, const WorkerSet& workers) {
  const auto now = workers.Now();
  for (const auto& worker : *now) worker->kinds().Use(manager.jobs().KindsInUse());
}

}  // namespace

// Parts refer to parts that are made after them: the loops to the reconcilers, the handlers to the
// manager and the gatherer. No constructor below uses what it is given: threads and connections,
// which call back, begin in Start() and Tick(). And the destructor's Stop() has ended all of them,
// the loops' threads joined, before the first member goes. A part that calls another one from its
// constructor must be declared behind it.
Federation::Federation(FederationSettings settings, http::HttpLoop& loop, WorkerPool& pool,
                       store::Store& store, Telemetry& telemetry, const Clock& clock)
    : settings_(std::move(settings)),
      clock_(clock),
      workload_loop_({.subject = "workload",
                      .threads = settings_.threads,
                      .job_of =
                          [this](const ObjectKey& key) {
                            const ObjectKey job = placements_.Find(key).job;
                            return job.name.empty() ? std::string() : job.ToString();
                          }},
                     clock,
                     [this, &telemetry](const ObjectKey& key) {
                       const SteadyTime begin = clock_.Steady();
                       const Result<void> result = workloads_.Reconcile(key);
                       telemetry.Reconciled(result ? "ok" : ToString(result.error().code),
                                            clock_.Steady() - begin);
                       return result;
                     }),
      check_loop_({.subject = "check"}, clock,
                  [this](const std::string& name) { return checks_.Reconcile(name); }),
      template_loop_({.subject = "template", .threads = kTemplateThreads, .retry = &RetryCopyAfter},
                     clock, [this](const ObjectKey& key) { return templates_.Reconcile(key); }),
      worker_cluster_loop_(
          {.subject = "multikueuecluster"}, clock,
          [this](const std::string& name) { return worker_clusters_.Reconcile(name); }),
      outage_loop_({.subject = "configmap"}, clock,
                   [this](const std::string&) { return outages_.Run(); }),
      wake_index_(settings_.wake),
      placements_(store),
      status_writer_(store, clock),
      limiter_(clock, {}),
      handlers_({workload_loop_, check_loop_, templates_,
                 TakesOver(settings_.gather.mode) ? &worker_cluster_loop_ : nullptr},
                {wake_index_, placements_, manager_, workers_, places_, gatherer_, order_}, clock),
      manager_(settings_.manager, settings_.kinds, loop, pool, clock, handlers_.ForManager(),
               KueueCopies(settings_.gather.mode)),
      gatherer_(settings_.gather, manager_, workers_, copy_failures_),
      events_({settings_.reporting_controller, settings_.instance}, manager_.cluster(), clock),
      bookkeeping_(store, placements_, status_writer_, events_, telemetry, clock),
      templates_(settings_.templates, manager_.templates(), manager_.identity(), workers_, limiter_,
                 copy_failures_, clock, template_loop_,
                 [this](const ObjectKey& key) { handlers_.WakeTemplateUsers(key); }),
      beside_(static_cast<size_t>(settings_.threads)),
      manager_writes_(manager_.cluster(), manager_.jobs(), bookkeeping_, telemetry, clock, beside_),
      worker_writes_(settings_.gather.us, manager_.identity(), templates_, limiter_, bookkeeping_,
                     telemetry, clock),
      executor_(manager_writes_, worker_writes_, bookkeeping_),
      checks_(manager_.cluster(), manager_.checks(), gatherer_.scopes(), workers_, clock),
      worker_clusters_(manager_.cluster(), manager_.worker_clusters(), workers_, clock),
      records_(settings_.may_decide != nullptr, manager_.cluster(), manager_.records(), placements_,
               clock),
      outages_(manager_.cluster(), settings_.outages),
      workloads_({settings_.policy, settings_.gather.devices, settings_.gather.quota},
                 {gatherer_, wake_index_, places_, order_, placements_, records_, status_writer_,
                  executor_, workload_loop_, phases_, telemetry, clock}),
      cluster_rows_(store, clock),
      line_rows_(store, clock, settings_.gather.order.policy),
      take_over_({.shares_outages = !settings_.outages.name.empty(),
                  .worker_lost_timeout = settings_.policy.worker_lost_timeout},
                 {manager_, workers_, placements_, status_writer_, workloads_, workload_loop_,
                  cluster_rows_, outages_, outage_loop_, clock}),
      roster_(workers_, [this, &loop, &pool](WorkerSettings worker) {
        WorkerListener listener = handlers_.ForWorker(worker.cluster.name);
        auto made =
            std::make_shared<Worker>(std::move(worker), loop, pool, clock_, std::move(listener));
        made->kinds().Use(remembered_kinds_);
        return made;
      }) {
  if (settings_.discovery.Any()) manager_.DiscoverWorkers(settings_.discovery);
  if (settings_.may_decide) manager_.ReadRecords();
}

Federation::~Federation() { (void)Stop(); }

Result<void> Federation::Start() {
  FEDRA_ASSIGN_OR_RETURN(const std::vector<ObjectKey> announced, placements_.Load());
  FEDRA_ASSIGN_OR_RETURN(const std::vector<ObjectKey> known, status_writer_.Load());
  for (const std::string& name : placements_.JobKinds()) {
    if (const auto* kind = settings_.kinds->FindName(name)) remembered_kinds_.push_back(kind);
  }
  FEDRA_RETURN_IF_ERROR(line_rows_.Load());
  workload_loop_.AddAll(announced);
  workload_loop_.AddAll(known);
  manager_.Start();
  if (settings_.discovery.Any()) return {};
  return StartWorkers(settings_.workers, settings_.drains_removed);
}

Result<void> Federation::StartWorkers(std::vector<WorkerSettings> workers, bool drains) {
  FEDRA_RETURN_IF_ERROR(cluster_rows_.Load(workers));
  (void)roster_.Configure(std::move(workers), drains);
  ShareKinds(manager_, workers_);
  RecordClusters();
  began_ = clock_.Steady();
  return {};
}

// Before a job can be there: the next run must know of a discovered worker while the manager does
// not name it.
void Federation::RecordClusters() {
  cluster_rows_.Record(manager_.Row(clock_.Now()),
                       manager_.IsUsable() ? &manager_.queues() : nullptr, *workers_.Now(),
                       gatherer_.scopes().Cordons().All(), left_out_);
}

std::string Federation::Awaited() const {
  if (!began_) return "the list of workers has not been read yet";
  if (take_over_.IsRelisting()) return "the lists that are made anew after the take-over";
  // What was listed once may not be what another process has left.
  if (take_over_.has_begun() ? !manager_.IsListedNow() : !manager_.lists().AreListed()) {
    const std::string problem = manager_.lists().Problem();
    return "the manager's lists" + (problem.empty() ? std::string() : ": " + problem);
  }
  if (clock_.Steady() - *began_ > kStartGrace) return {};
  if (take_over_.AwaitsOutages()) return "the outages that the leader before has noted";
  const auto workers = workers_.Now();
  const auto silent = std::find_if(workers->begin(), workers->end(),
                                   [](const auto& worker) { return !worker->HasAnswered(); });
  return silent == workers->end() ? std::string() : "worker " + (*silent)->name().value;
}

bool Federation::HasWaitedFor(SteadyTime::duration limit) const {
  return !working_ && take_over_.HasLastedFor(limit);
}

void Federation::SetWorkers(std::vector<WorkerSettings> workers, bool drains,
                            std::string left_out) {
  left_out_ = std::move(left_out);
  if (!began_) {
    // Only the store can fail here; the next call tries again.
    const Result<void> started = StartWorkers(std::move(workers), drains);
    if (!started) log::Fault("the workers are not used yet", {{"error", started.error().message}});
    return;
  }
  const RosterChange change = roster_.Configure(std::move(workers), drains);
  ShareKinds(manager_, workers_);
  RecordClusters();
  Wake(change);
}

void Federation::Wake(const RosterChange& change) {
  for (const ClusterName& worker : change.changed) handlers_.OnMembership(worker);
}

void Federation::ReleaseRemoved() {
  const SteadyTime now = clock_.Steady();
  if (now - last_release_ < kReleaseInterval) return;
  last_release_ = now;
  const auto workers = workers_.Now();
  Owners us{Us(), std::nullopt};
  // Kueue's copies do not name their maker: once their workload is gone, nothing shows whose they
  // are.
  if (KueueCopies(us.copies.mode)) us.copies.origin.clear();
  if (settings_.templates.mode != templates::SyncPolicy::kNever)
    us.templates = manager_.identity().Complete(settings_.templates.us);
  for (const ClusterName& name : workers->removed()) {
    if (!CanBeReleased(*workers->Find(name), manager_.jobs(), manager_.templates(), us,
                       settings_.policy.worker_lost_timeout, clock_.Now()))
      continue;
    log::Info("removed worker disconnected", {{"cluster", name.value}});
    const RosterChange change = roster_.Release(name);
    ShareKinds(manager_, workers_);
    Wake(change);
    cluster_rows_.Remove(name);
    copy_failures_.Forget(name);
    limiter_.Forget(name);
  }
}

// Costs what has come since the last time.
void Federation::ForgetGone() {
  if (keys_held() < 2 * kept_ + kLeastGone) return;
  handlers_.ForgetGone();
  kept_ = keys_held();
}

void Federation::Tick() {
  const auto workers = workers_.Now();
  RecordClusters();
  manager_.DropOverdue();
  for (const Gap& gap : manager_.lists().TakeNewGaps()) {
    log::Warn("something of the manager cannot be read",
              {{"cluster", manager_.cluster().name().value},
               {"resource", gap.resource},
               {"error", gap.why}});
  }
  for (const auto& worker : *workers) worker->DropOverdue();
  if (working_.load()) {
    take_over_.NoteOutages();
    workload_loop_.AddAllNext(order_.Refresh());
    handlers_.NoteLasting();
    workload_loop_.AddAll(wake_index_.Overdue(kMostOverdue));
    line_rows_.Record([this] { return order_.Standings(clock_.Now(), LineRows::kMostRows); },
                      manager_.jobs(), manager_.queues());
    return ReleaseRemoved();
  }
  const bool may_decide = !settings_.may_decide || settings_.may_decide();
  if (may_decide && settings_.may_decide && !take_over_.has_begun()) {
    standby_ = false;
    if (began_) began_ = clock_.Steady();
    take_over_.Begin();
  }
  std::string awaited = Awaited();
  if (may_decide && awaited.empty() && !manager_.identity().IdentifySoon())
    awaited = "the UID of the manager's namespace kube-system";
  const bool ready = awaited.empty();
  not_ready_.With([&](std::string& why) { why = std::move(awaited); });
  if (!may_decide) {
    standby_ = ready;
    return ForgetGone();
  }
  if (ready) BeginWork(*workers);
}

void Federation::BeginWork(const WorkerList& workers) {
  if (take_over_.has_begun()) take_over_.InheritOutages();
  working_ = true;
  log::Info("working", {{"workers", std::to_string(workers.size())},
                        {"workloads", std::to_string(manager_.jobs().workloads().cache().size())}});
  handlers_.WakeChecks();
  // MultiKueue keeps its checks itself.
  if (!KueueCopies(settings_.gather.mode)) check_loop_.Start();
  if (TakesOver(settings_.gather.mode)) {
    handlers_.WakeWorkerClusters();
    worker_cluster_loop_.Start();
  }
  if (settings_.templates.mode != templates::SyncPolicy::kNever) template_loop_.Start();
  workload_loop_.Start();
}

bool Federation::Stop() {
  workload_loop_.Stop();
  check_loop_.Stop();
  template_loop_.Stop();
  worker_cluster_loop_.Stop();
  outage_loop_.Stop();
  // Running looks may finish what they began; what waits for an answer that does not come is cut
  // off. Either way a restart continues from the state of the clusters.
  const SteadyTime limit = clock_.Steady() + kDrain;
  const auto left = [&] {
    return std::chrono::ceil<std::chrono::milliseconds>(
        std::max(limit - clock_.Steady(), SteadyTime::duration(0)));
  };
  const bool workloads_ended = workload_loop_.WaitUntilIdle(left());
  const bool others_ended =
      check_loop_.WaitUntilIdle(left()) && template_loop_.WaitUntilIdle(left()) &&
      worker_cluster_loop_.WaitUntilIdle(left()) && outage_loop_.WaitUntilIdle(left());
  // What has ended has queued its Events: those writes are the last.
  const bool ended = events_.Finish(left()) && workloads_ended && others_ended;
  roster_.StopAll();
  manager_.Stop();
  events_.Stop();
  workload_loop_.Join();
  check_loop_.Join();
  template_loop_.Join();
  worker_cluster_loop_.Join();
  outage_loop_.Join();
  return ended;
}

templates::TemplateSurvey Federation::SurveyTemplates(std::optional<templates::SyncPolicy> mode) {
  TemplateSettings settings = settings_.templates;
  settings.mode = mode.value_or(settings.mode);
  return reconcile::SurveyTemplates(settings, manager_, workers_, gatherer_);
}

}  // namespace fedra::reconcile
