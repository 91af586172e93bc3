#include "manager/reconcile/event_handlers.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/log.h"
#include "manager/placement/decide.h"

namespace fedra::reconcile {
namespace {

using placement::Contact;

// A job of a thousand pods that start must not become a thousand writes to the manager. MultiKueue
// waits 1 s (eventsBatchPeriod, Kueue 0.19).
constexpr std::chrono::milliseconds kProgressDebounce{500};

// Whatever came and went in between.
bool AreAlike(const Readability& a, const Readability& b) {
  const auto alike = [](const Readability::List& x, const Readability::List& y) {
    return x.state == y.state && x.error == y.error;
  };
  return a.contact == b.contact && a.phase.first == b.phase.first && a.why == b.why &&
         std::ranges::equal(a.lists, b.lists, alike);
}

}  // namespace

EventHandlers::EventHandlers(Targets targets, Sources sources, const Clock& clock)
    : targets_(targets), sources_(sources), clock_(clock) {}

ManagerListener EventHandlers::ForManager() {
  return {.on_kinds =
              [this](const std::vector<const tracking::JobAdapter*>& kinds) {
                const auto workers = sources_.workers.Now();
                for (const auto& worker : *workers) worker->kinds().Use(kinds);
              },
          .on_workload = [this](const ObjectKey& key) { OnWorkload(key); },
          .on_progress =
              [this](const ObjectKey& key) { targets_.workloads.AddAfter(key, kProgressDebounce); },
          .on_siblings =
              [this](const std::vector<ObjectKey>& keys) { targets_.workloads.AddAll(keys); },
          .on_checks = [this] { OnChecks(); },
          .on_check_status = [this] { WakeChecks(); },
          .on_worker_cluster = [this](const std::string& name) { OnWorkerCluster(name); },
          .on_kueue_reach = [this](const ClusterName& worker) { OnKueueReach(worker); },
          .on_order = [this](const std::vector<ObjectKey>& workloads) { OnOrder(workloads); },
          // Of workloads without checks: Kueue writes those that have some, which are events of
          // their own.
          .on_queue_checks = [this](const auto& keys) { targets_.workloads.AddAllBacklog(keys); },
          .on_template =
              [this](const ObjectKey& key) {
                WakeTemplateUsers(key);
                targets_.templates.Changed(key);
              },
          .on_template_use = [this](const ObjectKey& key) { targets_.templates.UseChanged(key); },
          .on_templates_health =
              [this] {
                const auto workers = sources_.workers.Now();
                for (const auto& worker : *workers) targets_.templates.LookAtAll(*worker);
              }};
}

WorkerListener EventHandlers::ForWorker(const ClusterName& name) {
  return {
      .on_workload = [this, name](const ObjectKey& key) { OnCopy(name, key); },
      .on_job = [this, name](const tracking::JobKey& job) { OnJob(name, job); },
      .on_progress =
          [this](const ObjectKey& key) { targets_.workloads.AddAfter(key, kProgressDebounce); },
      .on_input = [this, name](const Worker&, const InputChange& change) { OnInput(name, change); },
      .on_contact = [this](const Worker& worker) { OnContact(worker); }};
}

void EventHandlers::OnWorkload(const ObjectKey& key) {
  Follow(key);
  targets_.workloads.Add(key);
}

// It is in line from now on, not only when it has been looked at.
void EventHandlers::Follow(const ObjectKey& key) {
  if (const auto contender = sources_.gatherer.FindContender(key))
    targets_.workloads.AddAllNext(sources_.order.Join(*contender));
  for (const ClusterName& name : sources_.gatherer.DispatchedTo(key))
    sources_.places.Add(key, name);
  for (const ClusterName& name : sources_.places.Of(key)) Observe(key, name);
}

// Who is in no line is dispatched as before.
void EventHandlers::OnOrder(const std::vector<ObjectKey>& workloads) {
  for (const ObjectKey& key : workloads) {
    const auto contender = sources_.gatherer.FindContender(key);
    if (!contender) continue;
    targets_.workloads.AddAllBacklog(sources_.order.Join(*contender));
    targets_.workloads.AddBacklog(key);
  }
}

void EventHandlers::LookAgain(const std::vector<ObjectKey>& workloads,
                              const std::optional<ClusterName>& worker) {
  sources_.order.Invalidate(workloads, worker);
  targets_.workloads.AddAll(workloads);
}

void EventHandlers::OnCopy(const ClusterName& worker, const ObjectKey& workload) {
  sources_.places.Add(workload, worker);
  Observe(workload, worker);
  const auto at = sources_.workers.Now()->Find(worker);
  if (at == nullptr || at->contact() == Contact::kFull)
    targets_.workloads.AddNext(workload);
  else  // of a list
    targets_.workloads.AddBacklog(workload);
}

void EventHandlers::OnJob(const ClusterName& worker, const tracking::JobKey& job) {
  for (const ObjectKey& workload : sources_.manager.jobs().WokenByCopy(job))
    OnCopy(worker, workload);
}

void EventHandlers::Observe(const ObjectKey& workload, const ClusterName& name) {
  const auto worker = sources_.workers.Now()->Find(name);
  if (worker == nullptr || !sources_.gatherer.Observe(workload, *worker).freed) return;
  OnInput(name, {InputChange::Kind::kDevices, {}});
}

void EventHandlers::OnMembership(const ClusterName& worker) {
  readable_.With([&](auto& readable) { readable.erase(worker); });
  LookAgain(sources_.wake_index.AffectedBy(worker), worker);
  if (const auto now = sources_.workers.Now()->Find(worker)) targets_.templates.LookAtAll(*now);
  WakeChecks();
  OnWorkerCluster(worker.value);
}

void EventHandlers::OnWorkerCluster(const std::string& name) {
  if (targets_.worker_clusters != nullptr) targets_.worker_clusters->Add(name);
}

// As a change of contact (OnContact).
void EventHandlers::OnKueueReach(const ClusterName& worker) {
  reach_differs_.With([&](auto& all) {
    // The second of two changes is the way back.
    if (const auto [at, is_new] = all.try_emplace(worker, clock_.Steady()); !is_new) all.erase(at);
  });
  const std::vector<ObjectKey> affected = sources_.wake_index.AffectedByContact(worker);
  sources_.order.InvalidateAll(worker);
  const SteadyTime when = clock_.Steady() + kDeviceDebounce;
  for (const ObjectKey& key : affected) targets_.workloads.AddAt(key, when);
}

void EventHandlers::WakeWorkerClusters() {
  for (const auto& cluster : sources_.manager.worker_clusters().List())
    OnWorkerCluster(cluster->name);
}

void EventHandlers::WakeChecks() {
  for (const auto& check : sources_.manager.checks().List()) {
    if (sources_.gatherer.scopes().IsOurs(*check)) targets_.checks.Add(check->name);
  }
}

void EventHandlers::WakeTemplateUsers(const ObjectKey& claim_template) {
  LookAgain(sources_.wake_index.AffectedBy({InputChange::Kind::kTemplate, claim_template}),
            std::nullopt);
}

void EventHandlers::OnChecks() {
  WakeChecks();
  // A check's scope, or that it is ours at all, may have changed.
  for (const auto& workload : sources_.manager.jobs().workloads().cache().List()) {
    if (workload->Finished()) continue;
    Follow(workload->key);
    targets_.workloads.AddBacklog(workload->key);
  }
}

void EventHandlers::OnInput(const ClusterName& worker, const InputChange& change) {
  if (change.kind == InputChange::Kind::kTemplate) targets_.templates.Changed(change.key);
  const std::vector<ObjectKey> keys = sources_.wake_index.AffectedBy(change);
  if (change.kind == InputChange::Kind::kDevicesOffered) {
    sources_.order.Offered(worker);
  } else if (change.kind == InputChange::Kind::kDevices) {
    sources_.order.Freed(worker);
  } else if (change.kind != InputChange::Kind::kDevicesTaken) {
    // Where a claim is decides about all workers (verify::KeepClaimsTogether).
    const bool everywhere = change.kind == InputChange::Kind::kClaim;
    return LookAgain(keys, everywhere ? std::nullopt : std::optional(worker));
  }
  const SteadyTime when = clock_.Steady() + kDeviceDebounce;
  for (const ObjectKey& key : keys) targets_.workloads.AddAt(key, when);
}

// What is asked first may change meanwhile. So what is kept is taken out before the caches are
// asked: an event that comes in between puts it back behind us.
bool EventHandlers::IsGone(const ObjectKey& key) {
  if (sources_.manager.jobs().workloads().Find(key) != nullptr) return false;
  std::set<ClusterName> places = sources_.places.Take(key);
  const auto workers = sources_.workers.Now();
  std::erase_if(places, [&](const ClusterName& name) {
    const auto worker = workers->Find(name);
    return worker == nullptr || (worker->objects().clones().Find(key) == nullptr &&
                                 worker->copies().JobsOf(key).empty());
  });
  sources_.places.Put(key, places);
  return places.empty();
}

void EventHandlers::ForgetGone() {
  std::vector<ObjectKey> behind;
  targets_.workloads.DropIf([&](const ObjectKey& key) {
    const DispatchOrder::Versions now = sources_.order.Now();
    if (!IsGone(key)) return false;
    const std::vector<ObjectKey> next = sources_.order.Leave(key, now);
    behind.insert(behind.end(), next.begin(), next.end());
    return true;
  });
  targets_.workloads.AddAll(behind);
  targets_.templates.ForgetGone();
}

// What another replica has left there while it led and the worker was out of reach: no residue is
// remembered of it here, and that the worker is back need not be an event of any copy.
void EventHandlers::LookAtEnded(const Worker& worker) {
  std::vector<ObjectKey> named = worker.copies().NamedWorkloads();
  for (const auto& clone : worker.objects().clones().cache().List()) named.push_back(clone->key);
  for (const ObjectKey& key : named) {
    const auto workload = sources_.manager.jobs().workloads().Find(key);
    if (workload != nullptr && !workload->Finished()) continue;
    sources_.places.Add(key, worker.name());
    targets_.workloads.AddBacklog(key);
  }
}

void EventHandlers::NoteLasting() {
  const SteadyTime now = clock_.Steady();
  const bool any = readable_.With([&](auto& all) {
    bool lasts = false;
    for (auto& [worker, sight] : all) {
      // An attempt to connect says nothing yet: what it was before, or what comes, does.
      if (sight.now.phase.first == ConnectionPhase::kConnecting) continue;
      if (!sight.differs || now - *sight.differs < placement::kFlap) continue;
      sight.lasting = sight.now;
      sight.differs.reset();
      lasts = true;
    }
    return lasts;
  });
  const size_t reached = reach_differs_.With([&](auto& all) {
    return std::erase_if(all,
                         [&](const auto& each) { return now - each.second >= placement::kFlap; });
  });
  if (any || reached > 0) sources_.wake_index.AgeByContact();
}

// A worker that is away for a moment changes what can be read of it three times for each of its
// lists. So who waits is looked at as after a change of devices: the first ones, once for all
// changes of a moment; no workload goes past the others before these have been looked at.
void EventHandlers::OnContact(const Worker& worker) {
  // Looked at under the lock: several reflectors report at the same time, and the last of them to
  // write must not have looked first.
  Readability now;
  const std::optional<Readability> known = readable_.With([&](auto& all) {
    now = worker.Readable();
    const auto [found, is_new] = all.try_emplace(worker.name(), Sight{now, now});
    Sight& sight = found->second;
    if (AreAlike(now, sight.lasting))
      sight.differs.reset();
    else if (!sight.differs)
      sight.differs = clock_.Steady();
    return is_new ? std::nullopt : std::optional(std::exchange(sight.now, now));
  });
  if (known == now) return;
  // Why there is none may be something else, too.
  OnWorkerCluster(worker.name().value);
  const std::vector<ObjectKey> affected = sources_.wake_index.AffectedByContact(worker.name());
  // Without contact no workload is dispatched there anyway.
  if (now.contact == Contact::kFull) sources_.order.InvalidateAll(worker.name());
  const SteadyTime when = clock_.Steady() + kDeviceDebounce;
  for (const ObjectKey& key : affected) targets_.workloads.AddAt(key, when);
  if (now.contact == Contact::kFull) {
    targets_.workloads.AddAll(sources_.placements.ResiduesOn(worker.name()));
    targets_.templates.LookAtAll(worker);
  }
  if (now.contact == (known ? known->contact : Contact::kNone)) return;
  WakeChecks();
  if (now.contact == Contact::kFull) {
    LookAtEnded(worker);
    log::Info("worker is connected and listed", {{"cluster", worker.name().value}});
    return;
  }
  // One line for all of them: no workload gets its own.
  if (now.contact == Contact::kNone && !affected.empty())
    log::Info("workloads are judged without the worker", {{"cluster", worker.name().value}});
  const WorkerStatus status = worker.Status();
  if (now.contact == Contact::kNone && status.connection.phase == ConnectionPhase::kConnected) {
    // What the connection itself has to say is logged by the cluster.
    log::Warn("worker cannot be used",
              {{"cluster", worker.name().value}, {"error", status.problem}});
  }
}

}  // namespace fedra::reconcile
