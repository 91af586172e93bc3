#include "manager/reconcile/worker_roster.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/log.h"

namespace fedra::reconcile {
namespace {

// Whether a connected worker can go on with these settings, perhaps with other credentials.
bool IsSameShape(const WorkerSettings& a, const WorkerSettings& b) {
  return a.cluster.options.http2 == b.cluster.options.http2 && a.verified == b.verified &&
         a.capabilities == b.capabilities;
}

}  // namespace

RosterChange WorkerRoster::Configure(std::vector<WorkerSettings> wanted, bool drains) {
  wanted_ = std::move(wanted);
  drains_ = drains;
  return Update();
}

bool WorkerRoster::IsWanted(const ClusterName& name) const {
  return std::any_of(wanted_.begin(), wanted_.end(),
                     [&](const WorkerSettings& wanted) { return wanted.cluster.name == name; });
}

bool WorkerRoster::MustWait(const WorkerSettings& settings) const {
  for (const auto& [name, member] : members_) {
    if (name == settings.cluster.name || IsWanted(name) || settings.cluster.misconfigured) continue;
    if (member.settings.cluster.access.server != settings.cluster.access.server) continue;
    log::Warn(
        "a removed worker still has this worker's API server; it is used when nothing of ours "
        "is left there",
        {{"cluster", settings.cluster.name.value}, {"error", "waiting for " + name.value}});
    return true;
  }
  return false;
}

std::shared_ptr<Worker> WorkerRoster::Place(const WorkerSettings& settings, RosterChange& change) {
  const auto known = members_.find(settings.cluster.name);
  if (MustWait(settings)) return known == members_.end() ? nullptr : known->second.worker;
  if (known == members_.end()) {
    change.changed.push_back(settings.cluster.name);
    return members_.emplace(settings.cluster.name, Member{make_(settings), settings})
        .first->second.worker;
  }
  Member& member = known->second;
  if (!IsSameShape(member.settings, settings)) {
    WorkerSettings anew = settings;
    const WorkerStatus status = member.worker->Status();
    if (!status.keeps_jobs) anew.lost_since = status.lost_since;
    member.worker = make_(std::move(anew));
    change.changed.push_back(settings.cluster.name);
  } else if (member.worker->Reconfigure(settings.cluster.access, settings.cluster.misconfigured)) {
    log::Info("using the worker's changed kubeconfig", {{"cluster", settings.cluster.name.value}});
  }
  member.settings = settings;
  return member.worker;
}

RosterChange WorkerRoster::Update() {
  RosterChange change;
  const auto before = set_.Now();
  Workers workers;
  std::set<ClusterName> removed;
  for (const WorkerSettings& settings : wanted_) {
    if (auto worker = Place(settings, change)) workers.push_back(std::move(worker));
    if (before->removed().contains(settings.cluster.name))
      change.changed.push_back(settings.cluster.name);
  }
  for (const auto& [name, member] : members_) {
    if (IsWanted(name)) continue;
    workers.push_back(member.worker);
    removed.insert(name);
    if (!before->removed().contains(name) || before->drains() != drains_)
      change.changed.push_back(name);
  }
  const Workers next = workers;
  set_.Publish(WorkerList(std::move(workers), std::move(removed), drains_));
  for (const auto& worker : next) {
    if (before->Find(worker->name()) != worker) worker->Start();
  }
  for (const auto& worker : *before) {
    if (std::find(next.begin(), next.end(), worker) == next.end()) worker->Stop();
  }
  return change;
}

RosterChange WorkerRoster::Release(const ClusterName& removed) {
  members_.erase(removed);
  RosterChange change = Update();
  change.changed.push_back(removed);
  return change;
}

void WorkerRoster::StopAll() {
  const auto workers = set_.Now();
  for (const auto& worker : *workers) worker->Stop();
}

}  // namespace fedra::reconcile
