// pkg/controller/deployment and pkg/controller/replicaset of Kubernetes 1.36.3.

#include "tests/sim/deployment_controller.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tests/sim/actors/actor.h"

namespace fedra::sim {
namespace {

constexpr std::string_view kQueueOfPods = "kueue.x-k8s.io/queue-name";

// Kueue's webhook writes the Deployment's queue into its template.
Json ReplicaOf(const Json& deployment) {
  Json pod = deployment["spec"]["template"];
  const std::string name(StringAt(deployment, {"metadata", "name"}));
  const std::string_view queue = StringAt(deployment, {"metadata", "labels", kQueueOfPods});
  pod["apiVersion"] = "v1";
  pod["kind"] = "Pod";
  Json& metadata = pod["metadata"];
  metadata["generateName"] = name + "-";
  if (!queue.empty()) metadata["labels"][std::string(kQueueOfPods)] = queue;
  metadata["ownerReferences"] = Json::array({{{"apiVersion", "apps/v1"},
                                              {"kind", "Deployment"},
                                              {"name", name},
                                              {"uid", deployment["metadata"]["uid"]},
                                              {"controller", true},
                                              {"blockOwnerDeletion", true}}});
  return pod;
}

struct ReplicaCounts {
  int64_t live = 0;
  int64_t ready = 0;
};

}  // namespace

class DeploymentController::Impl final : public Actor {
 public:
  explicit Impl(Core& core)
      : Actor(core),
        deployments_(core.registry.Get("deployments")),
        pods_(core.registry.Get("pods")) {
    Begin();
  }
  ~Impl() override { End(); }

 private:
  void Notice(const Store& store, const ResourceType& type, const Event& event) override {
    if (&type == &deployments_) Enqueue({&deployments_, event.key});
    if (&type != &pods_) return;
    const Object* pod = store.Find(pods_, event.key);
    for (const std::string& uid : pod == nullptr ? event.owner_uids : pod->owner_uids) {
      const Place* owner = store.WhereIs(uid);
      if (owner != nullptr && owner->type == &deployments_) Enqueue(*owner);
    }
  }

  void Reconcile(Store& store, const Place& place) override {
    Object* deployment = store.Find(deployments_, place.key);
    if (deployment == nullptr || Terminating(deployment->body)) return;
    const ReplicaCounts counts = Count(store, *deployment);
    const int64_t wanted = IntAt(deployment->body, {"spec", "replicas"}, 1);
    for (int64_t i = counts.live; i < wanted; ++i) {
      (void)verbs().Create(store,
                           {.type = pods_,
                            .key = {place.key.ns, ""},
                            .subresource = {},
                            .manager = "kube-controller-manager"},
                           ReplicaOf(deployment->body));
    }
    Json status = deployment->body.value("status", Json::object());
    status["replicas"] = std::max(counts.live, wanted);
    status["readyReplicas"] = counts.ready;
    if (status == deployment->body.value("status", Json::object())) return;
    deployment->body["status"] = std::move(status);
    store.Touch(deployments_, place.key, *deployment);
  }

  ReplicaCounts Count(const Store& store, const Object& deployment) const {
    ReplicaCounts counts;
    const std::string uid(StringAt(deployment.body, {"metadata", "uid"}));
    for (const Place& dependent : store.Dependents(uid)) {
      const Object* pod = dependent.type == &pods_ ? store.Find(pods_, dependent.key) : nullptr;
      if (pod == nullptr || Terminating(pod->body)) continue;
      const std::string_view phase = StringAt(pod->body, {"status", "phase"});
      if (phase == "Succeeded" || phase == "Failed") continue;
      ++counts.live;
      counts.ready += phase == "Running" ? 1 : 0;
    }
    return counts;
  }

  const ResourceType& deployments_;
  const ResourceType& pods_;
};

DeploymentController::DeploymentController(Server& server)
    : impl_(std::make_unique<Impl>(server.core())) {}
DeploymentController::~DeploymentController() = default;

}  // namespace fedra::sim
