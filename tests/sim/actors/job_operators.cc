#include "tests/sim/job_operators.h"

#include <map>
#include <utility>

#include "base/time.h"
#include "tests/sim/actors/actor.h"
#include "tests/sim/kinds/job_kind.h"
#include "tests/sim/kinds/pod_sets.h"

namespace fedra::sim {
namespace {

using std::chrono::milliseconds;

std::string_view ResultOf(const Json& job) {
  return StringAt(job, {"metadata", "annotations", kResult});
}

}  // namespace

class JobOperators::Impl final : public Actor {
 public:
  Impl(Core& core, JobOptions options)
      : Actor(core), options_(options), nodes_(core.registry.Get("nodes")) {
    for (const JobKind& kind : JobKinds()) {
      const ResourceType* type = core.registry.Find(kind.group, kind.version, kind.plural);
      if (type != nullptr && kind.run) kinds_.emplace(type, &kind);
    }
    Begin();
  }
  ~Impl() override { End(); }

 private:
  using Clock = std::chrono::steady_clock;

  void Notice(const Store&, const ResourceType& type, const Event& event) override {
    if (kinds_.contains(&type)) Enqueue({&type, event.key});
  }

  void Reconcile(Store& store, const Place& place) override {
    const JobKind& kind = *kinds_.at(place.type);
    Object* job = store.Find(*place.type, place.key);
    const bool obeys = job != nullptr && !kind.ignores_managed_by;
    const std::string manager = obeys ? ManagedBy(kind, job->body) : "";
    Json status = job == nullptr ? Json::object() : job->body.value("status", Json::object());
    if (job == nullptr || (!manager.empty() && manager != kind.controller) || kind.end(status)) {
      running_until_.erase(place);
      return;
    }
    if (!kind.gate.empty() && !Looks(store, job->body)) return;
    if (ResultOf(job->body) == "ignored") return;  // as where no operator runs
    if (IsSuspended(kind, job->body)) {
      running_until_.erase(place);
      kind.stop(status);
    } else if (IsStopped(kind, job->body)) {
      kind.finish(/*success=*/false, status);
    } else if (kind.refuse && ResultOf(job->body) == "invalid") {
      kind.refuse(status);
    } else if (kind.begin && ResultOf(job->body) == "initializing") {
      kind.begin(status);
    } else if (TimeIsUp(place, job->body)) {
      kind.finish(ResultOf(job->body) != "failure", status);
    } else {
      kind.run(PodSetsOf(store, core().registry, kind, job->body), status);
    }
    if (status == job->body.value("status", Json::object())) return;
    job->body["status"] = std::move(status);
    store.Touch(*place.type, place.key, *job);
  }

  // Of pods those that Kueue manages and no controller has made; on nodes those that the scheduler
  // has started.
  bool Looks(const Store& store, const Json& pod) const {
    if (StringAt(pod, {"metadata", "labels", "kueue.x-k8s.io/queue-name"}).empty()) return false;
    if (!ArrayAt(pod, {"metadata", "ownerReferences"}).empty()) return false;
    return store.All(nodes_).empty() || StringAt(pod, {"status", "phase"}) == "Running";
  }

  bool TimeIsUp(const Place& place, const Json& job) {
    const std::string_view text = StringAt(job, {"metadata", "annotations", kRunFor});
    if (text == "forever") return false;
    const milliseconds run_for =
        text.empty() ? options_.run_for : ParseDuration(text).value_or(options_.run_for);
    if (run_for < milliseconds(0)) return false;
    const auto now = Clock::now();
    const auto [entry, fresh] = running_until_.try_emplace(place, now + run_for);
    if (entry->second <= now) return true;
    if (fresh) EnqueueAfter(place, run_for);
    return false;
  }

  const JobOptions options_;
  const ResourceType& nodes_;
  std::map<const ResourceType*, const JobKind*> kinds_;
  std::map<Place, Clock::time_point> running_until_;
};

JobOperators::JobOperators(Server& server, JobOptions options)
    : impl_(std::make_unique<Impl>(server.core(), options)) {}
JobOperators::~JobOperators() = default;

}  // namespace fedra::sim
