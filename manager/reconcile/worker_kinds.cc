#include "manager/reconcile/worker_kinds.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "manager/verify/cache_status.h"
#include "manager/verify/verify.h"

namespace fedra::reconcile {

using placement::Contact;
using watch::CacheHealth;
using watch::CacheState;

// Not before the first connection is it known which version of the DRA API can be read there; and
// with an upgrade, or an API that is switched on, it is another one.
void WorkerKinds::OnServer() {
  const std::lock_guard lock(watching_);
  const auto server = cluster_.server();
  verify::DraApi api = verify::ReadDraApi(server.get());
  std::vector<std::string> kinds_here = KindsHere(server.get());
  if (dra_ == api && kinds_here_ == kinds_here) return;
  if (dra_ && dra_ != api) {
    log::Info("worker serves another release or other DRA APIs",
              {{"cluster", cluster_.name().value},
               {"release", api.release},
               {"dra_version", api.version},
               {"taint_rules", api.taint_rules ? api.taint_rule_version : "not served"},
               {"pod_groups", api.pod_groups ? api.pod_group_version : "not served"}});
  }
  kinds_here_ = std::move(kinds_here);
  dra_ = std::move(api);
  WatchAll(server.get());
}

void WorkerKinds::WatchAll(const kube::ServerInfo* server) {
  objects_.SetServer(server);
  // What is watched as before goes on; what is read in another version now is listed again.
  for (const verify::Input& input : objects_.Inputs(server)) {
    cluster_.Watch(verify::WatchOf(input), *input.sink);
  }
}

std::vector<std::string> WorkerKinds::KindsHere(const kube::ServerInfo* server) const {
  std::vector<std::string> here;
  for (const tracking::JobAdapter* kind : objects_.kinds().all()) {
    if (objects_.Uses(*kind) && server != nullptr && server->Serves(kind->resource()))
      here.push_back(kind->name());
  }
  return here;
}

void WorkerKinds::Use(const std::vector<const tracking::JobAdapter*>& kinds) {
  const auto is_used = [this](const tracking::JobAdapter* kind) { return objects_.Uses(*kind); };
  const std::lock_guard lock(watching_);
  if (std::ranges::all_of(kinds, is_used)) return;
  objects_.UseKinds(kinds);
  if (!dra_) return;  // with the first connection
  const auto server = cluster_.server();
  kinds_here_ = KindsHere(server.get());
  WatchAll(server.get());
}

KindStatus WorkerKinds::StatusOf(const tracking::JobAdapter* kind) const {
  KindStatus all{.contact = Contact::kFull, .lost_since = std::nullopt, .problem = {}};
  for (const tracking::JobAdapter* each : objects_.kinds().all()) {
    if ((kind != nullptr && kind != each) || !objects_.Uses(*each)) continue;
    const CacheHealth health = objects_.jobs(*each).cache().health();
    // What is not served there is the verdict's business, as long as no job of ours was seen.
    if (verify::AreKnown(objects_.jobs(*each), health)) continue;
    const bool is_lost =
        health.state == CacheState::kForbidden || health.state == CacheState::kNotServed;
    all.contact = std::min(all.contact, is_lost ? Contact::kNone : Contact::kSyncing);
    const auto ago = std::chrono::duration_cast<WallTime::duration>(clock_.Steady() - health.since);
    all.lost_since = std::min(all.lost_since.value_or(WallTime::max()), clock_.Now() - ago);
    if (all.problem.empty()) all.problem = verify::Problem(health, each->resource().plural);
  }
  return all;
}

}  // namespace fedra::reconcile
