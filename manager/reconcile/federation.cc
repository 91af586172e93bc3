#include "manager/reconcile/federation.h"

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace fedra::reconcile {
namespace {

// How long the start waits for workers that neither answer nor fail.
constexpr std::chrono::seconds kStartGrace{3};
// Of the five seconds that a stop may take.
constexpr std::chrono::milliseconds kDrain{3'000};
// They wait for the manager only, and for workers within the gates' budget.
constexpr size_t kTemplateThreads = 2;

Workers MakeWorkers(const std::vector<WorkerSettings>& settings, http::HttpLoop& loop,
                    WorkerPool& pool, const Clock& clock, EventHandlers& handlers) {
  Workers workers;
  for (const WorkerSettings& worker : settings)
    workers.push_back(std::make_unique<Worker>(worker, loop, pool, clock, handlers.ForWorker()));
  return workers;
}

}  // namespace

Federation::Federation(FederationSettings settings, http::HttpLoop& loop, WorkerPool& pool,
                       store::Store& store, Telemetry& telemetry, const Clock& clock)
    : settings_(std::move(settings)),
      clock_(clock),
      started_(clock.Steady()),
      workload_loop_({.subject = "workload", .threads = settings_.threads}, clock,
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
      records_(store),
      recorder_(store, clock),
      gates_(clock, {}),
      handlers_({workload_loop_, check_loop_, templates_},
                {interest_, records_, manager_, workers_, gatherer_}, clock),
      manager_(settings_.manager_access, settings_.manager_options, loop, pool, clock,
               handlers_.ForManager()),
      workers_(MakeWorkers(settings_.workers, loop, pool, clock, handlers_)),
      gatherer_(settings_.gather, manager_, workers_, in_flight_, copy_failures_),
      events_(manager_.cluster(), clock),
      bookkeeping_(store, records_, recorder_, events_, telemetry, clock),
      templates_(settings_.templates, manager_, workers_, gates_, copy_failures_, clock,
                 template_loop_,
                 [this](const ObjectKey& key) { handlers_.WakeTemplateUsers(key); }),
      manager_writes_(manager_, bookkeeping_, telemetry, clock),
      worker_writes_(settings_.gather.origin, manager_, workers_, templates_, gates_, bookkeeping_,
                     telemetry, clock),
      executor_(manager_writes_, worker_writes_, bookkeeping_),
      checks_(manager_, gatherer_, workers_, clock),
      workloads_({settings_.policy, settings_.gather.devices},
                 {gatherer_, interest_, in_flight_, records_, recorder_, executor_, workload_loop_,
                  telemetry, clock}),
      cluster_rows_(store, clock) {}

Federation::~Federation() { Stop(); }

Result<void> Federation::Start() {
  FEDRA_ASSIGN_OR_RETURN(const std::vector<ObjectKey> announced, records_.Load());
  FEDRA_ASSIGN_OR_RETURN(const std::vector<ObjectKey> known, recorder_.Load());
  FEDRA_RETURN_IF_ERROR(cluster_rows_.Load());
  workload_loop_.AddAll(announced);
  workload_loop_.AddAll(known);
  manager_.Start();
  for (const auto& worker : workers_) worker->Start();
  return {};
}

bool Federation::MayBegin() const {
  if (!manager_.IsListed()) return false;
  const bool all_answered = std::all_of(workers_.begin(), workers_.end(),
                                        [](const auto& worker) { return worker->IsSettled(); });
  return all_answered || clock_.Steady() - started_ > kStartGrace;
}

void Federation::Tick() {
  cluster_rows_.Record(manager_, workers_);
  manager_.DropOverdue();
  for (const auto& worker : workers_) worker->DropOverdue();
  if (working_.load() || !MayBegin() || !manager_.IdentifySoon()) return;
  working_ = true;
  log::Info("working", {{"workers", std::to_string(workers_.size())},
                        {"workloads", std::to_string(manager_.workloads().cache().size())}});
  handlers_.WakeChecks();
  check_loop_.Start();
  if (settings_.templates.mode != templates::Mode::kNever) template_loop_.Start();
  workload_loop_.Start();
}

void Federation::Stop() {
  workload_loop_.Stop();
  check_loop_.Stop();
  template_loop_.Stop();
  // Running looks may finish what they began; what waits for an answer that does not come is cut
  // off. Either way a restart continues from the state of the clusters.
  (void)workload_loop_.WaitUntilIdle(kDrain);
  for (const auto& worker : workers_) worker->Stop();
  manager_.Stop();
  events_.Stop();
  workload_loop_.Join();
  check_loop_.Join();
  template_loop_.Join();
}

}  // namespace fedra::reconcile
