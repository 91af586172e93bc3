// The table. Sources: JobSet 0.12.0, MPI operator 0.8.2, training-operator 1.9.3, KubeRay 1.6.2,
// Trainer 2.3.0, AppWrapper 1.2.2, spark-operator 2.5.1,
// and pkg/controller/jobs of Kueue 0.19.2 (each kind's IsActive, Finished, PodSets and
// *_multikueue_adapter.go).

#include <initializer_list>
#include <utility>
#include <vector>

#include "manager/tracking/kinds/app_wrapper.h"
#include "manager/tracking/kinds/kind_row.h"
#include "manager/tracking/kinds/leader_worker_set.h"
#include "manager/tracking/kinds/ray_job.h"
#include "manager/tracking/kinds/spark_application.h"
#include "manager/tracking/kinds/train_job.h"

namespace fedra::tracking {
namespace {

AllOf HasCondition(const std::string& type) {
  return {{.path = FieldPath(("status.conditions[type=" + type + "].status").c_str()),
           .values = {"True"}}};
}

KindRow JobSet() {
  return {.resource = {"jobset.x-k8s.io", "v1alpha2", "jobsets", "JobSet"},
          .own_controller = "jobset.sigs.k8s.io/jobset-controller",
          .pod_sets = {{.at = "spec.replicatedJobs[*]",
                        .pod_template = "template.spec.template",
                        .name_at = "name",
                        .count = {{{"replicas"}},
                                  {{"template.spec.parallelism"},
                                   {"template.spec.completions", std::nullopt}}}}},
          .succeeded = {HasCondition("Completed")},
          .failed = {HasCondition("Failed")},
          .active = {{.path = "status.replicatedJobsStatus[*].active", .above = 0}},
          // Its entries need all of their counts: they go as a whole.
          .cleared_status = R"({"replicatedJobsStatus": []})",
          .stripped = {"spec.ttlSecondsAfterFinished"},
          .pod_label = {"jobset.sigs.k8s.io/jobset-name"},
          .honoured_since = "JobSet 0.6"};
}

// The kinds of Kubeflow's MPI operator and training operator: a map of replicas, by role.
KindRow WithReplicas(kube::Resource resource, const std::string& replicas,
                     std::initializer_list<std::pair<const char*, const char*>> roles,
                     const std::string& operator_name) {
  KindRow row{.resource = std::move(resource),
              .managed_by = "spec.runPolicy.managedBy",
              .suspend = {.path = "spec.runPolicy.suspend"},
              .succeeded = {HasCondition("Succeeded")},
              .failed = {HasCondition("Failed")},
              .active = {{.path = "status.replicaStatuses[*].active", .above = 0}},
              .cleared_status = R"({"replicaStatuses": null})",
              .stripped = {"spec.runPolicy.ttlSecondsAfterFinished"},
              .pod_label = {"training.kubeflow.org/job-name", "training.kubeflow.org/operator-name",
                            operator_name}};
  for (const auto& [role, pod_set] : roles) {
    row.pod_sets.push_back({.at = FieldPath(("spec." + replicas + "." + role).c_str()),
                            .pod_template = "template",
                            .name = pod_set,
                            .count = {{{"replicas"}}}});
  }
  return row;
}

KindRow OfTrainingOperator(const std::string& plural, const std::string& kind,
                           const std::string& replicas,
                           std::initializer_list<std::pair<const char*, const char*>> roles) {
  // Its controllers are called after the plural without "s": "pytorchjob-controller".
  KindRow row = WithReplicas({"kubeflow.org", "v1", plural, kind}, replicas, roles,
                             plural.substr(0, plural.size() - 1) + "-controller");
  row.honoured_since = "training-operator 1.9";
  row.own_controller = "kubeflow.org/training-operator";
  return row;
}

// Kueue's webhook takes no prebuilt name from it (supportedPrebuiltWlJobGVKs in
// pkg/controller/jobframework/validation.go of 0.19.2), and training-operator 1.9 never reads its
// managedBy: a suspended one it gives a status of its own, until that says that it has ended.
KindRow JaxJob() {
  KindRow row = OfTrainingOperator("jaxjobs", "JAXJob", "jaxReplicaSpecs", {{"Worker", "worker"}});
  row.holds_check = true;
  row.adoption = Adoption::kOwner;
  row.mirror = Mirror::kEnd;
  row.honoured_since = "not obeyed by training-operator 1.9";
  return row;
}

KindRow MpiJob() {
  KindRow row = WithReplicas({"kubeflow.org", "v2beta1", "mpijobs", "MPIJob"}, "mpiReplicaSpecs",
                             {{"Launcher", "launcher"}, {"Worker", "worker"}},
                             /*operator_name=*/"mpi-operator");
  row.honoured_since = "MPI operator 0.6";
  row.own_controller = "kubeflow.org/mpi-operator";
  return row;
}

constexpr const char* kKubeRay = "ray.io/kuberay-operator";

// Its autoscaler changes the RayCluster on the worker, which Kueue there then finds to be another
// one than its Workload, and stops: in a RayJob's or RayService's pod sets it counts those of the
// RayCluster (UpdatePodSets in pkg/controller/jobs/raycluster/common.go,
// ensurePrebuiltWorkloadInSync in pkg/controller/jobframework/reconciler.go). MultiKueue takes none
// either (raycluster_webhook.go).
NeverRule NoAutoscaler(const std::string& base) {
  const std::string path = base + ".enableInTreeAutoscaling";
  return {.when = {.path = FieldPath(path.c_str()), .values = {"true"}},
          .why = path +
                 " is true: Ray's autoscaler changes the size of the copy alone, and Kueue on the "
                 "worker would end it for that; leave it out"};
}

// Kueue makes no Workload of it (Skip in rayjob_controller.go of Kueue 0.19.2).
NeverRule NoOtherCluster() {
  return {.when = {.path = "spec.clusterSelector[*]", .values = {""}, .is_none_of = true},
          .why =
              "spec.clusterSelector names a RayCluster that exists, and Kueue leaves such a "
              "RayJob alone; give it spec.rayClusterSpec in its place"};
}

KindRow RayCluster() {
  return {.resource = {"ray.io", "v1", "rayclusters", "RayCluster"},
          .own_controller = kKubeRay,
          .pod_sets = RayPodSets("spec"),
          // As syncWorkerReplicas in Kueue's raycluster_multikueue_adapter.go.
          .scaled = ScaleRule{.each = "spec.workerGroupSpecs[*]",
                              .name = "groupName",
                              .fields = {"replicas", "numOfHosts"}},
          .never = {NoAutoscaler("spec")},
          // It serves until it is deleted: there is no end.
          .active = {{.path = "status.state", .values = {"ready"}}},
          .cleared_status = R"({"state": "suspended", "readyWorkerReplicas": 0,
                               "availableWorkerReplicas": 0})",
          .pod_label = {"ray.io/cluster"},
          .honoured_since = "KubeRay 1.3"};
}

KindRow RayJob() {
  const FieldTest over{.path = "status.jobDeploymentStatus", .values = {"Complete", "Failed"}};
  return {
      .resource = {"ray.io", "v1", "rayjobs", "RayJob"},
      .own_controller = kKubeRay,
      .pod_sets = RayJobPodSets(),
      .pod_templates = &RayJobPods,
      .scaled = ScaleRule{},
      .never = {NoAutoscaler("spec.rayClusterSpec"), NoOtherCluster()},
      .succeeded = {{over, {.path = "status.jobStatus", .values = {"SUCCEEDED"}}}},
      // What KubeRay refuses it never runs. Kueue does not finish such a job: it holds its Workload
      // back (IsOnHold in rayjob_controller.go of Kueue 0.19.2).
      .failed = {{over, {.path = "status.jobStatus", .values = {"SUCCEEDED"}, .is_none_of = true}},
                 {{.path = "status.jobDeploymentStatus", .values = {"ValidationFailed"}}}},
      .active = {{.path = "status.jobDeploymentStatus",
                  .values = {"", "Suspended"},
                  .is_none_of = true}},
      // Also of one that was evicted while its cluster was made: nothing on the manager would ever
      // say that it does not run (kueue#15380).
      .cleared_status = R"({"jobDeploymentStatus": "Suspended", "jobStatus": "", "jobId": "",
                           "rayClusterName": "", "rayClusterStatus": null})",
      .stripped = {"spec.ttlSecondsAfterFinished", "spec.deletionStrategy"},
      .pod_label = {"ray.io/originated-from-cr-name", "ray.io/originated-from-crd", "RayJob"},
      .honoured_since = "KubeRay 1.3"};
}

KindRow RayService() {
  return {
      .resource = {"ray.io", "v1", "rayservices", "RayService"},
      .own_controller = kKubeRay,
      .suspend = {.path = "spec.rayClusterConfig.suspend"},
      .pod_sets = RayPodSets("spec.rayClusterConfig"),
      // As remoteSpecSyncer in Kueue's rayservice_multikueue_adapter.go.
      .followed = {"spec.serveConfigV2"},
      .scaled = ScaleRule{},
      .never = {NoAutoscaler("spec.rayClusterConfig")},
      .active = {{.path = "status.conditions[type=Ready].status", .values = {"True"}}},
      .cleared_conditions = {"Ready"},
      .pod_label = {"ray.io/originated-from-cr-name", "ray.io/originated-from-crd", "RayService"},
      .honoured_since = "KubeRay 1.6"};
}

// Its pod templates are its runtime's: Kueue and Trainer each make a JobSet of both (Kueue's
// getChildJobSet), so its Workload shows all of them.
KindRow TrainJob() {
  const auto runtime = [](const std::string& plural, const std::string& kind, bool namespaced,
                          std::vector<std::string> kinds) {
    return ReferenceRule{.resource = {"trainer.kubeflow.org", "v1alpha1", plural, kind, namespaced},
                         .name = "spec.runtimeRef.name",
                         .when = {{.path = "spec.runtimeRef.kind", .values = std::move(kinds)}}};
  };
  return {.resource = {"trainer.kubeflow.org", "v1alpha1", "trainjobs", "TrainJob"},
          .own_controller = "trainer.kubeflow.org/trainjob-controller",
          .succeeded = {HasCondition("Complete")},
          .failed = {HasCondition("Failed")},
          .active = {{.path = "status.jobsStatus[*].active", .above = 0}},
          .cleared_status = R"({"jobsStatus": []})",
          // Kueue's own entry, for what it writes at the start: the worker's Kueue adds its own,
          // and two of one manager are refused.
          .stripped = {"spec.runtimePatches[manager=kueue.x-k8s.io/manager]"},
          .pods_of = "JobSet.jobset.x-k8s.io",
          .references =
              {// The CRD's default of the kind.
               runtime("clustertrainingruntimes", "ClusterTrainingRuntime", /*namespaced=*/false,
                       {"", "ClusterTrainingRuntime"}),
               runtime("trainingruntimes", "TrainingRuntime", /*namespaced=*/true,
                       {"TrainingRuntime"})},
          .referenced_pods = &TrainJobPods,
          .honoured_since = "Trainer 2.3"};
}

// Kueue's Workload of it has a part of each pod template only (GetPodTemplateSpec of AppWrapper).
KindRow AppWrapper() {
  const FieldTest failed{.path = "status.phase", .values = {"Failed"}};
  return {.resource = {"workload.codeflare.dev", "v1beta2", "appwrappers", "AppWrapper"},
          .own_controller = "workload.codeflare.dev/appwrapper-controller",
          .pod_templates = &AppWrapperPods,
          .hides_pods = true,
          .succeeded = {{{.path = "status.phase", .values = {"Succeeded"}}}},
          // Until what it has made is gone, it may be tried again.
          .failed = {{failed,
                      {.path = "status.conditions[type=ResourcesDeployed].status",
                       .values = {"True"},
                       .is_none_of = true}}},
          .active = {{.path = "status.conditions[type=QuotaReserved].status", .values = {"True"}}},
          .cleared_status = R"({"phase": "Suspended"})",
          .cleared_conditions = {"QuotaReserved", "ResourcesDeployed", "PodsReady"},
          // What Kueue wants its pods to have, and a time after which it would be deleted.
          .stripped = {"spec.components[*].podSetInfos"},
          .stripped_annotations = {"workload.codeflare.dev.appwrapper/successTTLDuration"},
          .pod_label = {"workload.codeflare.dev/appwrapper"},
          .honoured_since = "AppWrapper 1.2"};
}

// It has no managedBy, Kueue's webhook takes no prebuilt name from it, as from a JAXJob, and a
// suspended one gets a status of its operator's (transitionToSuspending in
// internal/controller/sparkapplication/controller.go of spark-operator 2.5.1), until that says that
// it has ended. Kueue finds an end also in a failed submission, which the operator may repeat, and
// of which that transition leaves nothing (IsTerminated in pkg/util/sparkapplication.go).
KindRow SparkApplication() {
  const auto in_state = [](std::vector<std::string> states) {
    return FieldTest{.path = "status.applicationState.state", .values = std::move(states)};
  };
  return {.resource = {"sparkoperator.k8s.io", "v1beta2", "sparkapplications", "SparkApplication"},
          .managed_by = {},
          .holds_check = true,
          .pod_templates = &SparkPods,
          .counted_pods = &SparkCountedPods,
          .hides_pods = true,
          .adoption = Adoption::kOwner,
          .mirror = Mirror::kEnd,
          .succeeded = {{in_state({"COMPLETED"})}},
          .failed = {{in_state({"FAILED", "SUBMISSION_FAILED"})}},
          .restated_end = {{in_state({"SUBMISSION_FAILED"}),
                            R"({"applicationState": {"state": "FAILED"}})"}},
          .active = {in_state({"RUNNING"})},
          .cleared_status = R"({"applicationState": {"state": "SUSPENDED"}})",
          .required_status = {"driverInfo"},
          .stripped = {"spec.timeToLiveSeconds"},
          .pod_label = {"sparkoperator.k8s.io/app-name"},
          .honoured_since = "none in spark-operator 2.5"};
}

}  // namespace

// Its pods are gated, and join the Workload that pkg/controller/jobs/statefulset of Kueue 0.19.2
// makes of it; on a worker, where the copy has the origin label, they join our clone. Nothing says
// that the manager's controller should leave it alone: it makes gated pods, and writes the status.
KindRow StatefulSetRow() {
  return {.resource = {"apps", "v1", "statefulsets", "StatefulSet"},
          .managed_by = {},
          .holds_check = true,
          .suspend = {.path = {}},
          .only_queued = true,
          .pod_sets = {{.at = "spec",
                        .pod_template = "template",
                        .name = "main",
                        .count = {{{"replicas"}}}}},
          .adoption = Adoption::kByOriginUid,
          .mirror = Mirror::kNone,
          .readiness = ReadinessRule{"status.readyReplicas", "spec.replicas"},
          .pod_label = {.key = "statefulset.kubernetes.io/pod-name", .names_the_pod = true}};
}

// As a StatefulSet, once for each of its replicas (pkg/controller/jobs/leaderworkerset of Kueue
// 0.19.2): all of these Workloads go to one worker, which has one copy of it.
KindRow LeaderWorkerSetRow() {
  return {.resource = {"leaderworkerset.x-k8s.io", "v1", "leaderworkersets", "LeaderWorkerSet"},
          .managed_by = {},
          .holds_check = true,
          .suspend = {.path = {}},
          .only_queued = true,
          .pod_templates = &LeaderWorkerSetPods,
          .parts = "spec.replicas",
          .adoption = Adoption::kByOriginUid,
          .mirror = Mirror::kNone,
          .readiness = ReadinessRule{"status.readyReplicas", "spec.replicas"},
          .pod_label = {.key = "leaderworkerset.sigs.k8s.io/name"}};
}

const std::vector<KindRow>& BuiltInRows() {
  static const std::vector<KindRow> rows = {
      JobSet(),
      MpiJob(),
      OfTrainingOperator("tfjobs", "TFJob", "tfReplicaSpecs",
                         {{"Chief", "chief"},
                          {"Master", "master"},
                          {"PS", "ps"},
                          {"Worker", "worker"},
                          {"Evaluator", "evaluator"}}),
      OfTrainingOperator("pytorchjobs", "PyTorchJob", "pytorchReplicaSpecs",
                         {{"Master", "master"}, {"Worker", "worker"}}),
      OfTrainingOperator("xgboostjobs", "XGBoostJob", "xgbReplicaSpecs",
                         {{"Master", "master"}, {"Worker", "worker"}}),
      OfTrainingOperator("paddlejobs", "PaddleJob", "paddleReplicaSpecs",
                         {{"Master", "master"}, {"Worker", "worker"}}),
      JaxJob(),
      RayCluster(),
      RayJob(),
      RayService(),
      TrainJob(),
      AppWrapper(),
      SparkApplication()};
  return rows;
}

}  // namespace fedra::tracking
