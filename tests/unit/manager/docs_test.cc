// The pages of docs/ that list things are made from the tables in the code. `make docs` writes them
// (it runs this test with FEDRA_WRITE_DOCS=1); otherwise the test fails when a page has fallen
// behind.

#include <fstream>
#include <iterator>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/ascii.h"
#include "config/print.h"
#include "config/yaml_json.h"
#include "manager/api/routes.h"
#include "manager/cli/command_line.h"
#include "manager/metrics/metric_families.h"
#include "manager/placement/note_reasons.h"
#include "manager/report/states.h"
#include "manager/tracking/kinds/kind_row.h"
#include "tests/support/catch.h"
#include "tests/support/page.h"
#include "tests/unit/manager/support/example_kinds.h"
#include "tests/unit/manager/support/openapi_page.h"
#include "verdict/reason_facts.h"

namespace fedra::docs_test {

using testing::CheckPage;

namespace {

// "[Missing](facts.md#missing), ..."
std::string FactLinks(verdict::ReasonCode code) {
  std::string links;
  for (const std::string_view type : verdict::FactTypesOf(code))
    links += fmt::format("{}[{}](facts.md#{})", links.empty() ? "" : ", ", type, ToLower(type));
  return links;
}

std::string ReasonsPage() {
  std::string page =
      "# Reasons\n\nWhy a worker cannot, or may not, run a job. Generated from "
      "`verdict/reason_code.cc` by `make docs`;\n"
      "`fedra explain REASON` prints the same. [verdicts.md](verdicts.md) shows how to read a "
      "verdict,\n"
      "[facts.md](facts.md) what programs get of a reason.\n";
  std::string_view group;
  for (const verdict::ReasonEntry& entry : verdict::ReasonCatalogue()) {
    if (entry.group != group) page += fmt::format("\n## {}\n", entry.group);
    group = entry.group;
    page += fmt::format("\n### {}\n\n{}.\n\n- Cause: {}\n- Remedy: {}\n- Facts: {}\n", entry.name,
                        entry.summary, entry.cause, entry.remedy, FactLinks(entry.code));
  }
  return page;
}

std::string StatesPage() {
  std::string page =
      "# States\n\nThe words in the columns STATE, VERDICT and OUTCOME. Generated from "
      "`manager/report/states.cc` "
      "by `make docs`;\n`fedra explain STATE` prints the same, [reasons.md](reasons.md) has the "
      "reasons.\n";
  std::string_view group;
  for (const report::StateEntry& entry : report::StateEntries()) {
    if (entry.group != group)
      page += fmt::format("\n## {}\n\n| state | meaning | next |\n|---|---|---|\n", entry.group);
    group = entry.group;
    page += fmt::format("| `{}` | {} | {} |\n", entry.name, entry.meaning, entry.next);
  }
  return page;
}

std::string MetricsPage() {
  std::string page =
      "# Metrics\n\n`GET /metrics` at `http.address`, Prometheus text format. Generated from "
      "`manager/metrics/metric_families.cc` by `make docs`.\n\n| name | type | labels | meaning "
      "|\n|---|---|---|---|\n";
  for (const metrics::MetricFamily& family : metrics::MetricFamilies())
    page += fmt::format("| `{}` | {} | {} | {} |\n", family.name, family.type, family.labels,
                        family.help);
  return page;
}

std::string PodSetsText(const tracking::KindRow& row) {
  if (row.resource.kind == "SparkApplication")
    return "made of `spec.driver` (driver; 1) and `spec.executor` (executor; instances?0), see "
           "below";
  if (row.pod_templates != nullptr && row.pod_sets.empty())
    return "where each of `spec.components` declares them, or where its kind has them, see below";
  if (row.pod_sets.empty()) return "of the object that it names, see below";
  std::string text;
  for (const tracking::PodSetRule& rule : row.pod_sets) {
    const std::string name = rule.name.empty() ? "its " + rule.name_at.text() : rule.name;
    const std::string dot = rule.pod_template.empty() ? "" : ".";
    text += fmt::format("{}`{}{}{}` ({}; {})", text.empty() ? "" : ", ", rule.at.text(), dot,
                        rule.pod_template.text(), name, ToString(rule.count));
  }
  if (row.resource.kind == "RayJob")
    text +=
        "; without a template for it the submitter is KubeRay's own (500m, 200Mi), with "
        "submissionMode SidecarMode a container of that size in the head's pod";
  return text;
}

std::string ClearedText(const tracking::KindRow& row) {
  std::string text;
  if (const auto status = nlohmann::json::parse(row.cleared_status); !status.empty())
    text = fmt::format("`{}`", status.dump());
  if (!row.cleared_conditions.empty()) {
    text += fmt::format("{}condition{} {} become{} False", text.empty() ? "" : ", ",
                        row.cleared_conditions.size() > 1 ? "s" : "",
                        fmt::join(row.cleared_conditions, ", "),
                        row.cleared_conditions.size() > 1 ? "" : "s");
  }
  return text;
}

constexpr std::string_view kJaxJob = R"(
## JAXJob

training-operator 1.9 does not look at a JAXJob's managedBy, and Kueue (0.19) lets no copy of one name its Workload, so its
MultiKueue cannot run it. fedra does:

- Its check stays `Pending` while a worker has it, so that Kueue leaves it suspended on the manager; [Pods](#pods) says what
  that costs.
- A training-operator on the manager writes a status of its own into a suspended JAXJob. So only its end is mirrored; until
  then `fedra status` says that it runs, and where.
- Its copy is created without a queue. When fedra has made it the owner of its Workload there, it gets the queue, and Kueue
  takes the two together. For that fedra needs the right to patch JAXJobs on workers. There Kueue must have
  `manageJobsWithoutQueueName: false`, and the namespace no LocalQueue that is called `default`: with either Kueue makes a
  Workload of its own for the copy. In `kueue.mode: dispatcher`, where Kueue copies, JAXJobs do not run.
)";

constexpr std::string_view kAppWrapper = R"(
## AppWrapper

A component's pods are at the paths of its `podSets`. Without them AppWrapper finds those of Pod, Deployment, StatefulSet,
Job, JobSet, PyTorchJob, RayCluster and RayJob by itself, and fedra finds the same. Kueue's Workload has only a part of each
pod template, without claims, volumes and service account: verdicts, copies of templates and `check` go by the AppWrapper.
Its quota on the manager therefore counts no devices of claims, whatever Kueue's settings are.

Of a component's own kind fedra asks nothing: its CRD and its operator must be on the workers. AppWrapper's webhook asks
whether who creates the AppWrapper may create each component (`userRBACAdmissionCheck`, on by default): there that is
fedra's account, which needs the right, or the check is switched off. Components should have no queue label of their own.
)";

constexpr std::string_view kSparkApplication = R"(
## SparkApplication

Kueue's integration `sparkoperator.k8s.io/sparkapplication` is alpha: it is there where the manager's and the workers' Kueue
have the feature gate `SparkApplicationIntegration` and name it in `integrations.frameworks`. It runs applications of
`mode: cluster` without dynamic allocation. A SparkApplication has no managedBy (spark-operator 2.5), Kueue (0.19) lets no copy
of one name its Workload, and its MultiKueue rejects them. fedra runs those that name a queue as it runs JAXJobs: held by the
check, of the status the end alone, adopted by owner, with what that needs on the workers, and not in `kueue.mode: dispatcher`.
In particular:

- Kueue takes `SUBMISSION_FAILED` for an end, also where `restartPolicy` would try again: the copy is then removed. On the
  manager it is shown as `FAILED`, with its `errorMessage`: an operator there would turn it into `SUSPENDED`.
- Its Workload has `coreRequest`, `memory` and `gpu` of the driver and the executors, and nothing of their `template`s but
  labels and annotations: no claims. Quota counts that, and no overhead of the memory. Verdicts, copies of templates and `check`
  go by the pods as Spark makes them: the `template` (Spark 3.0), on it `cores`, memory with its overhead, and what else the
  fields say; for what stands in `sparkConf` alone they do not look.
- Give the driver or the executors `coreRequest` or `memory`, or have the manager's ClusterQueue cover `pods`. Of one with
  `cores` alone Kueue counts nothing, and admits it without fedra's AdmissionCheck: then it starts on the manager. `check` warns.
- Without `executor.instances` Kueue counts no executor, and so does fedra; Spark starts two. `timeToLiveSeconds` counts on the
  manager, if an operator is there.
- A ScheduledSparkApplication gives those that it makes its own labels, and so the queue.
)";

constexpr std::string_view kPods = R"(
## Pods

With `kueue.pods: true` fedra runs pods, too: those that Kueue manages (its integration `pod`), and so the replicas of
Deployments, each for itself, and groups of pods (below). It needs `deploy/manager-rbac-pods.yaml` on the manager and
`deploy/worker-rbac-pods.yaml` on the workers (`fedra join --with pods`), and `pod` in `integrations.frameworks` of every
Kueue. StatefulSets and LeaderWorkerSets run with it, too (below).
It is for the modes `admissionCheck` and `multikueue`; in `dispatcher` MultiKueue copies pods. In `multikueue` no pod may run
elsewhere at the switch ([kueue-setup.md](kueue-setup.md#mode-multikueue-fedra-in-the-place-of-multikueue)).
Before it is switched off no pod should run elsewhere: fedra then rejects their Workloads, and leaves their copies to you
(`fedra orphans`).

A pod has no managedBy. Kueue would start it on the manager as well, so fedra leaves its AdmissionCheck `Pending` while a
worker has it: Kueue starts nothing that is not admitted. What that costs:

- `ADMITTED` of the Workload stays empty on the manager, and the LocalQueue counts it as reserving, not as admitted.
  Quota is reserved all the same. `fedra status` says `Running`.
- waitForPodsReady and max-exec-time hold on the worker only.
- `stopPolicy: Hold` of the manager's ClusterQueue or LocalQueue, or deleting the LocalQueue, stops it: Kueue lets what is admitted
  run on, and takes the quota of what is not. The copies go, and it runs anew once the queue is released.

The manager's pod keeps Kueue's scheduling gate. Its status is the worker's, so a Deployment becomes ready, but for
addresses: `podIP` and `hostIP` are of another cluster, and Services on the manager must not send anything there. A pod
that fails on its worker has failed, and its ReplicaSet makes another one. One whose copy is deleted there, by the worker's
Kueue or by others, has not: it is `Pending` again, and runs once more. So does one that the manager's Kueue preempts: Kueue (0.19) would
leave its Workload out of the queue for ever, because without MultiKueue the pod is deleted then, and fedra has it queued again.

`fedra check` takes Pods, and of a Deployment or ReplicaSet it judges one pod: each replica is dispatched by itself, perhaps to
another worker than the others. The label `kueue.x-k8s.io/queue-name` goes into the Deployment's pod template; on the Deployment
itself it takes Kueue's integration `deployment`, too, which copies it there.

A **group of pods** (`kueue.x-k8s.io/pod-group-name`) is one job, of the kind `Pod group` in fedra's tables, under the name of the
group, which is that of its Workload (`fedra why pod-group/NAME` where jobs of other kinds have the name, too). All of its
pods go to one worker, chosen for all of them; each has a copy and shows the status of its own. In particular:

- The pods that the Workload names as its owners are copied, once Kueue has taken them for members. One that replaces a
  failed one follows to the worker, also under the failed one's name: a copy says which pod it stands for
  (`fedra.dev/member-uid`).
- What has ended is not run again: after a move only the others are copied. The worker's Kueue then reserves quota for all
  of the group all the same.
- A copy that is deleted on the worker, as when a node is drained, is made again there. The copy of a pod that you delete is
  deleted.
- Kueue holds the pods of a group by a finalizer, and lets go of them when the group has finished, or its Workload is
  deleted: that is how a group is ended before. fedra takes the finalizer off the copies that it removes, and needs the
  right to patch pods on the workers for that.
- `fedra check` takes the pods of a group in its input for one job. Where some of them are missing, or say different things of
  the group, it says that and gives no verdict: Kueue makes no Workload of them either.
- A group always ends as Kueue ends it: when as many pods have succeeded as it has, or, with
  `kueue.x-k8s.io/retriable-in-group: "false"` on one of its pods, when all have ended. Events are written for its Workload.

## StatefulSet

With `kueue.pods: true` fedra runs StatefulSets that name a queue (Kueue's integration `statefulset`, on every cluster, beside
`pod`; the same two files have the rights). The StatefulSet itself is copied, to one worker, whose StatefulSet controller makes
its pods; what MultiKueue does, too. Its Workload is that of a group of pods, and the copy says by
`kueue.x-k8s.io/multikueue-origin-uid` what it is a copy of: that is how the worker's Kueue finds the Workload there.

Nothing in a StatefulSet tells the manager's controller to leave it alone, so its check stays `Pending`, at the price that
pods pay (above), and:

- The manager's controller makes pods, which stay gated; with OrderedReady only the first. It writes the status, so
  nothing of the worker's is mirrored: `READY` is 0 on the manager. `fedra status` says where it runs, and how many of its
  replicas are ready there.
- It never ends. Scaled to 0 on the manager it gives its quota back, and the copy is removed; scaled up again it is
  dispatched anew, perhaps elsewhere. Kueue refuses any other change of `replicas` while it is in a queue.
- Other changes do not follow to the copy, as with MultiKueue. One of the pod template makes Kueue take the gates off the
  manager's old pods: where the manager has nodes they start there until they are replaced. Delete the StatefulSet and
  create it again in place of such a change.
- Its headless Service (`spec.serviceName`) must be on the worker, and the storage classes of its `volumeClaimTemplates`;
  fedra copies and checks neither. PersistentVolumeClaims stay there after it, unless its
  `persistentVolumeClaimRetentionPolicy` says Delete.
- `fedra logs` cannot tell its pods from others by a label; verdicts and `fedra why` know them by their names.

## LeaderWorkerSet

With `kueue.pods: true` fedra runs LeaderWorkerSets that name a queue (Kueue's integration
`leaderworkerset.x-k8s.io/leaderworkerset`, on every cluster, beside `pod`; the same two files have the rights). Kueue makes a
Workload for each replica, a leader and its workers. All of them go to one worker, as with MultiKueue, and that has one copy of
the LeaderWorkerSet: the worker is chosen for the first replica; the others are judged there alone, and wait for what is
missing there. The price is a StatefulSet's (above): the checks stay `Pending`, the status is the manager's own controller's,
and `fedra status` says how many replicas are ready on the worker.
That controller must run, for Kueue evicts by the gated pods that it makes. And:

- A replica that loses its worker alone, evicted there or here, goes back to it as soon as that has room: the others run on
  there, and the copy stays. All of them leave when the worker is lost or drained, and with `fedra move`, which asks for the
  first one. A worker that may not be used any more (cordoned, removed, not in the AdmissionCheck) keeps what runs there; a
  first replica that loses it gets another one, and all follow.
- A replica waits for the first one as long as that has no worker, also for quota on the manager, and holds its own meanwhile.
  Two LeaderWorkerSets whose replicas hold what the other's first one needs may so wait for each other for ever: scale one
  down, or deactivate some of its Workloads (`spec.active: false`). With different priorities, and preemption in the
  ClusterQueue, they do not.
- `replicas` follows to the copy, unlike with MultiKueue, while a worker has the first replica; for that fedra needs the right
  to patch LeaderWorkerSets there. With 0 replicas the copy is removed. Other changes do not follow. If
  another controller changes the copy's `replicas`, such as a HorizontalPodAutoscaler on the worker, fedra changes them back.
- Kueue (0.19) makes the pods of a replica the only owners of its Workload on a worker. Where all of them are deleted at once,
  as by `restartPolicy: RecreateGroupOnPodRestart`, which is the default, that may be deleted, too: then the replica is queued
  again.
- `check` judges one replica. `fedra status` has a line for each; `fedra why workload/NAME` is about one of them.
)";

constexpr const char* kElasticText = R"(
## Elastic jobs

A Job, RayCluster, RayJob or RayService with the annotation `kueue.x-k8s.io/elastic-job: "true"` may be made larger and smaller
while it runs (Kueue's gate `ElasticJobsViaWorkloadSlices`, on by default since 0.18, on every cluster; a worker
needs Kueue 0.19, for with 0.18 it starts no more pods [then](support.md#kueue-release-by-release)). It stays on its worker and
runs on, as with MultiKueue:

- For more pods Kueue makes another Workload, which replaces the one before when it has quota on the manager. fedra sends it to
  the same worker; when that admits it, the copy of the job gets the new size. Until then the job runs as it was, also for
  ever: no other worker is asked. `fedra status` says what it waits for. What ends the run of any other job ends it meanwhile,
  too: an eviction there, a drain, `fedra move`.
- For fewer pods the Workload and its copy get the smaller counts, then the copy of the job.
- What follows is `spec.parallelism` of a Job, and `replicas` and `numOfHosts` of the worker groups of a RayCluster. A RayJob and
  a RayService keep the size with which they were created, and so they do with MultiKueue (0.19).
- For that fedra needs the right to patch these kinds on workers. Without it a job runs on as it was, and the Event
  `DispatchFailed` says so.
- Ray's own autoscaler (`enableInTreeAutoscaling`) changes the copy alone. Kueue takes jobs with it only as elastic ones, and on a
  worker ends the copy as soon as it was scaled; so fedra rejects them (`NotDispatchable`), and `check` says so.

Without the annotation Kueue stops a job whose number of pods is changed, and queues it again.
)";

// Kinds whose copies follow an edited job.
std::string FollowedText() {
  std::string text =
      "\n## Edited jobs\n\nWhile a worker has a job, this of it follows to the copy when a user "
      "edits "
      "it, as with MultiKueue. For that fedra\nneeds the right to patch jobs of the kind there. "
      "Of a LeaderWorkerSet `replicas` follows, too (below). For any other change\ndelete the job "
      "and create it again.\n\n| kind | follows |\n|---|---|\n";
  for (const tracking::KindRow& row : tracking::BuiltInRows())
    for (const FieldPath& path : row.followed)
      text += fmt::format("| {} | `{}` |\n", row.resource.kind, path.text());
  return text + kElasticText;
}

constexpr const char* kOperatorsText = R"(
## What is seen of operators

An API server's discovery says which kinds it serves, and in which versions. fedra asks for it at every connection and twice a
minute, and a worker that does not serve a kind in the version of the first table gets none of its jobs (`KindMissing`).

Nothing says whether the kind's operator runs there, or whether the Kueue there looks after the kind
(`integrations.frameworks`): an operator may have any name and may run outside of the cluster, and CRDs, webhooks, Deployments
and Kueue's configuration are not among fedra's rights. So no worker is refused for it. What can be seen is

- that a copy cannot be created, because a webhook of the operator does not answer: it is tried again, and after
  `dispatch.admissionTimeout` another worker is;
- that a copy which its worker has admitted is still suspended 2 minutes later, so that Kueue has not started it, or has no status
  at all, so that no controller has looked at it. Then `fedra status` says so, and so does the Event `NotStarted`, once. The job
  stays where it is, for another worker may lack the same: bring the operator back, or cordon the worker
  (`fedra cordon`) and move the job (`fedra move`). Of a group of pods this is not told.
)";

// Kinds whose jobs name other objects that a worker must have.
std::string ReferencesText() {
  std::string text =
      "\n## What else must be on a worker\n\nObjects that a job itself names. A worker without "
      "them "
      "gets none of these jobs (DependencyMissing); where their specs differ\nfrom the manager's, "
      "`verification.templates.drift` says what that means, as for ResourceClaimTemplates: "
      "nothing, "
      "a note, or not\neligible. Nothing of them is copied.\n\n| kind | names |\n|---|---|\n";
  for (const tracking::KindRow& row : tracking::BuiltInRows()) {
    for (const tracking::ReferenceRule& rule : row.references)
      text += fmt::format("| {} | `{}` {}, by `{}` |\n", row.resource.kind,
                          rule.resource.ApiVersion(), rule.resource.kind, rule.name.text());
  }
  return text +
         "\nKueue makes a TrainJob's pod sets of the manager's runtime, and verdicts go by them: "
         "device claims can only be in the\nruntime. `check` goes by it, too, or by the first "
         "worker's that has one. A worker's Kueue makes them again of\nits own runtime. Where "
         "their "
         "containers or counts differ it gives the copy up (OutOfSync), and fedra tries the next "
         "worker;\nother differences, claims among them, are silently the "
         "worker's.\n\nTrainer writes its own name into `spec.managedBy` of every TrainJob that "
         "leaves it out: the policy takes that for nothing\nsaid, and without the policy users "
         "write Kueue's value. Kueue 0.19 needs Trainer 2.2 or newer on the workers; a Trainer\n"
         "older than 2.3 on the manager would run the jobs there, too: install its CRDs only, or "
         "2.3.\n";
}

std::string StrippedText(const tracking::KindRow& row) {
  std::string text;
  for (const FieldPath& path : row.stripped)
    text += fmt::format("{}`{}`", text.empty() ? "" : ", ", path.text());
  for (const std::string& name : row.stripped_annotations)
    text += fmt::format("{}annotation `{}`", text.empty() ? "" : ", ", name);
  return text.empty() ? "-" : text;
}

constexpr std::string_view kOwnKinds = R"(
## Kinds of your own

A kind that is not in these tables is added by an entry of `kinds` in the configuration
([configuration.md](configuration.md) explains each key; `fedra config validate` says what is wrong with an
entry, with its line). It takes effect at the next start. The daemon, `check`, `templates diff` and `orphans` use it; a
snapshot has the built-in kinds only, and pods where `kueue.pods` is set.

```yaml
kinds:
- apiVersion: example.com/v1
  kind: TrainingRun
  plural: trainingruns
  managedBy: spec.policy.managedBy
  suspend: spec.policy.paused
  podSets:
  - {at: "spec.roles[*]", template: template, nameFrom: name, count: replicas}
  succeeded: ["status.phase=Done"]
  failed: ["status.phase=Broken"]
  active: ["status.running>0"]
  cleared: {running: 0}
  stripped: [spec.ttlSeconds]
  podLabel: example.com/run
```

An entry has what most kinds need. What some built-in kinds have besides is code or a rule of their own, and has no key: a copy
that follows edits, elastic sizes, other objects that a job names, jobs that are never dispatched, and kinds that only their
check holds. So a kind with such rules cannot be replaced by an entry; a JobSet can, for a version of its API that is newer
than fedra.

What the kind must have: a field that tells its controller not to run the job, a field that keeps it
from starting, a status subresource, and something that makes its Workload on the manager and starts the copy on
the worker when its Workload is admitted. Kueue does that only for its own kinds; of others their controller
does, with Kueue's job framework, whose annotation `kueue.x-k8s.io/prebuilt-workload-name` the copy carries. A controller that
is built with Kueue 0.17 or older, as tekton-kueue is, reads the label of that name, which every copy has, too, unless the name
of the Workload is longer than a label may be (63 characters).

Rights on the kind are yours to grant: on the manager list and watch, and patch of its status; on workers
get, list, watch, create and delete. `fedra config validate --connect` tells what is missing.

Tekton's PipelineRun, from Tekton 1.5, with tekton-kueue on all clusters (tried on simulated clusters only):

```yaml
kinds:
)";

constexpr std::string_view kOwnKindsAfterTekton = R"(```

Its pods are not in it: quota and devices are what its Workload says. An evicted one keeps its quota as long as it shows a start;
so fedra takes that out (`cleared`). tekton-kueue does not stop a PipelineRun to go on later: one that it evicts it ends
(`StoppedRunFinally`). A copy that a worker ends so has not failed (`stopped`): the job is queued again, and begins anew.

Argo's Workflow (3.7) cannot be added: its status is no subresource, so nothing could be mirrored; it has no
managedBy, so the manager's controller would run it too; and nothing makes a Workload of it.
)";

// With the first version of its operator that obeys it.
std::string ManagedByText(const tracking::KindRow& row) {
  return row.managed_by.empty()
             ? row.honoured_since
             : fmt::format("`{}`, {}", row.managed_by.text(), row.honoured_since);
}

std::string KindsPage() {
  std::string page =
      "# Kinds of jobs\n\n"
      "What fedra runs, and what users write where no policy does it for them. Generated from\n"
      "`manager/tracking/kinds/builtin_rows.cc` by `make docs`; the README beside it says what a "
      "row is.\n\n"
      "`batch/v1` Job has code of its own: `spec.managedBy`, `spec.suspend`, one pod set `main`. "
      "Its\n"
      "`spec.ttlSecondsAfterFinished` is not copied.\n\n"
      "A job runs elsewhere only when its managedBy is `kueue.x-k8s.io/multikueue`: "
      "`deploy/managed-by-policy.yaml`\n"
      "writes it, and on a manager older than Kubernetes 1.36 users do; a kind without the field "
      "has a section of its own\n"
      "below. Kinds that the manager does not serve cost\n"
      "nothing; a worker that does not serve a kind loses jobs of that kind only (KindMissing).\n\n"
      "On workers KubeRay must run without DELETE_RAYJOB_CR_AFTER_JOB_FINISHES: the CRD gives "
      "every "
      "RayJob a\n"
      "`ttlSecondsAfterFinished` of 0, and with that setting its result could be gone before it is "
      "mirrored.\n\n"
      "| kind | managedBy, and the first version of its operator that obeys it | suspend | not "
      "copied "
      "|\n|---|---|---|---|\n";
  for (const tracking::KindRow& row : tracking::BuiltInRows())
    page +=
        fmt::format("| `{}` {} | {} | `{}` | {} |\n", row.resource.ApiVersion(), row.resource.kind,
                    ManagedByText(row), row.suspend.path.text(), StrippedText(row));
  page +=
      "\n## Pod sets\n\nWhere the pod templates are, which pod set of Kueue's Workload they make, "
      "and of how many "
      "pods. Kueue takes 18\nin a job (0.19; 0.18 takes 10, 0.17 takes 8): of one with more it "
      "makes no Workload, and fedra never sees it. `check` warns of\nmore than 18; which Kueue a "
      "cluster has, no API tells."
      "\n\n| kind | pod sets "
      "|\n|---|---|\n";
  for (const tracking::KindRow& row : tracking::BuiltInRows())
    page += fmt::format("| {} | {} |\n", row.resource.kind, PodSetsText(row));
  page +=
      "\n## Status\n\nThe worker's status is copied to the manager as a whole (of a JAXJob "
      "and a SparkApplication its end alone), at most 512 KiB of "
      "it and 20 conditions. "
      "After an eviction fedra takes out\nwhat Kueue reads as activity, because Kueue keeps the "
      "quota "
      "until then.\n\n| kind | taken out |\n|---|---|\n";
  for (const tracking::KindRow& row : tracking::BuiltInRows()) {
    page += fmt::format("| {} | {} |\n", row.resource.kind, ClearedText(row));
  }
  page += FollowedText() + ReferencesText() + kOperatorsText;
  page += kJaxJob;
  page += kAppWrapper;
  page += kSparkApplication;
  page += kPods;
  page += kOwnKinds;
  page += testing::kPipelineRunEntry;
  page += kOwnKindsAfterTekton;
  return page;
}

std::string EventsPage() {
  std::string page =
      "# Events\n\nEvents (events.k8s.io/v1) that fedra writes on the Workload and its job, and "
      "the lines of "
      "`fedra history`.\nGenerated from `manager/placement/note_reasons.h` by `make docs`.\n\n"
      "Of one type at most 25 Events are written about one object at once, and one more every five "
      "minutes; what is left\nout is counted with the next one that is the same. Of those that "
      "differ in their message alone the tenth within ten\nminutes and all that follow are one, "
      "`(combined from similar events): ...`. The history has all of them.\n\n"
      "| reason | type | meaning |\n|---|---|---|\n";
  for (const placement::notes::NoteReason& reason : placement::notes::kNoteReasons)
    page += fmt::format("| `{}` | {} | {} |\n", reason.name,
                        reason.is_warning ? "Warning" : "Normal", reason.meaning);
  return page;
}

constexpr std::string_view kApiBegin = R"(# API

The daemon answers what `fedra status`, `why`, `history`, `devices`, `templates diff` and `check` ask, over HTTP/1.1 on a Unix
socket: the same documents as `-o json`, byte for byte. Nothing can be changed by it: what is posted to `check` is judged,
and not kept. Generated from `manager/api/routes.cc` by `make docs`.

```sh
curl -s --unix-socket /run/fedra/fedra.sock 'http://fedra/api/v1alpha1/jobs?state=Blocked&limit=20'
curl -s --unix-socket /run/fedra/fedra.sock 'http://fedra/api/v1alpha1/why?job=ml/train&output=table'
curl -s --unix-socket /run/fedra/fedra.sock -H 'Content-Type: application/yaml' --data-binary @job.yaml \
  'http://fedra/api/v1alpha1/check?namespace=ml'
```

[openapi.json](openapi.json) says the same for programs, with every field of every document and what it means; the daemon
serves it as `/api/v1alpha1/openapi.json`.

## Who may ask

Those who may open the socket: root, the user who runs fedra, and the members of `api.group`
([configuration.md](configuration.md)), by default `fedra-view`. They see every namespace, and the names in it. There is
no login and, unless `api.secure.address` is set, no TCP port. A browser gets there by `fedra dashboard`
([commands.md](commands.md)), or through a tunnel (`ssh -L`); pages of other sites are refused (403, 421).

The systemd unit takes its socket from `fedra.socket`: `/run/fedra/fedra.sock`. Elsewhere it is `fedra.sock` beside the
store, or what `api.socket` says.

### Over the network

With `api.secure` ([configuration.md](configuration.md)) the same is served over TLS (1.2 or newer) to users of the
manager's API server. Fedra has no users of its own: it asks the manager who has the token (TokenReview) and what they
may (SubjectAccessReview), and keeps the answers for a moment: a token 60 s, a right 30 s, a refusal 5 s (30 s
where it was not asked for by name: which of many namespaces a list shows). It needs
[manager-rbac-secure-api.yaml](../deploy/manager-rbac-secure-api.yaml) for that; `fedra config validate --connect` says
whether it has it.

```yaml
api:
  secure:
    address: 0.0.0.0:8443
    certFile: /etc/fedra/tls/tls.crt   # both are read again when they change
    keyFile: /etc/fedra/tls/tls.key
```

```sh
kubectl apply -f deploy/viewer-rbac.yaml
kubectl create serviceaccount looker -n ml
kubectl create rolebinding fedra-viewer -n ml --clusterrole fedra-viewer --serviceaccount ml:looker
kubectl create token looker -n ml > token
fedra why ml/train --server https://fedra.example:8443 --certificate-authority ca.crt --token-file token
TOKEN=$(cat token)
curl -s --cacert ca.crt -H "Authorization: Bearer $TOKEN" 'https://fedra.example:8443/api/v1alpha1/jobs?namespace=ml'
```

`status`, `why`, `history`, `wait`, `check`, `devices` and `templates diff` ask over the network with `--server`, and
refuse `--config` beside it: no configuration is read then. Without
`--token-file` they send the token of the kubeconfig's current context, of a plugin as well. Those who run fedra could use a token that it is sent, so do not
send an administrator's: an account with `fedra-viewer` is enough. Client certificates are not tokens, and are refused
with what to do instead.

`--server service:NAMESPACE/NAME` needs no address: kubectl, which must be in PATH, forwards a port of 127.0.0.1 to the
Service while the command runs, with your own rights (in that namespace `get` services, `get` and `list` pods, `create`
pods/portforward). `--server service` looks for the Service with the label `app.kubernetes.io/name: fedra` and a port called
`https` in the namespace `fedra-system` alone: elsewhere a Service with that label may be any user's, and would be sent your
token; name such a place yourself. With two replicas the Service leads to either of them, and a standby knows no jobs; the
answer's line `REPLICA` says who it was, and [operations.md](operations.md#ask-the-leader-about-jobs) how to ask the other
one. `kubectl fedra status` does so by itself where there is neither `/etc/fedra/fedra.yaml` nor a daemon, or with
`--context`. The API server leads the tunnel to the Service's pod, so the certificate there is verified only with `--certificate-authority` (for `NAME.NAMESPACE.svc`). `kubectl get --raw` of the
Service's proxy is no way: the API server takes the token out of what it passes on.

| endpoint | right on the manager | without it |
|---|---|---|
| `status`, `jobs`, `counts` | `list` workloads.kueue.x-k8s.io, everywhere or in the namespace that is asked for | 403; without `namespace`, of at most 100 namespaces those that are allowed |
| `job`, `why`, `history` | `get` workloads.kueue.x-k8s.io, everywhere or in the job's namespace | 403, whether there is such a job or not |
| `check` | `get` workloads.kueue.x-k8s.io, everywhere, or in the one that `namespace` names and in each of the manifests | 403 |
| `workers`, `devices`, the workers in `status` | `get` the path `/fedra/fleet` | 403; no workers in `status` |
| what a worker says about a job, in `why`, `history` and `check`; there also how the spec of a template or class of that name differs from the manifest's; how many pods would fit there | the same | codes of reasons alone; the job's `note`, which its Workload on the manager has as the message of fedra's check, also where the history says the same; and fedra's own words |
| what a job's pods have printed | `get` pods/log in its namespace | withheld |
| `device-map` | `get` the path `/fedra/fleet`, and `list` workloads.kueue.x-k8s.io everywhere: it names who holds devices | 403 |
| `watch` | of `workers` `get` and `watch` the path `/fedra/fleet`; of `jobs` `list` and `watch` workloads.kueue.x-k8s.io, as for `jobs`; of `daemon` one of the two | the topic is left out; 403 where none is left |
| `openapi.json`, `reasons` | none | |
| `/metrics` | `get` the path `/metrics` | 403 |
| `/`, the dashboard's pages | none: they hold nothing, and ask with the token that is pasted there | |
| `templates` | `get` the path `/fedra/fleet`, and `list` resourceclaimtemplates.resource.k8s.io everywhere | 403 |
| others | | 403 |

[viewer-rbac.yaml](../deploy/viewer-rbac.yaml) has ClusterRoles for it: `fedra-viewer`, which a RoleBinding gives for
one namespace, `fedra-fleet-viewer`, and `fedra-metrics-reader` for Prometheus' account. Rights to paths below `/api` and
`/apis` every authenticated user has, so the fleet's is not there.

`omitted` in a document names what the reader's rights do not cover, whether there is any or not: `workers`,
`namespaces`. Jobs of other namespaces are not counted, either. Who holds devices, or is first in line, is named where
the reader may see that namespace; text that mentions another one is withheld as a whole. Tables of `why`, `history` and
`check` name the ClusterRole that would show what is withheld in them.

| status | when |
|---|---|
| 401 | no token, or none that the manager knows |
| 403 | the right is missing, which the message names |
| 421 | another name in `Host` than an IP address, localhost, `api.secure.hosts` or a name in the certificate |
| 429 | too many tokens from one address, or too many questions about the rights of one user: again after `Retry-After` |
| 503 | the manager does not answer, and fedra has no recent answer about this client |

Without `certFile` a certificate is made at the start, which clients cannot verify (`curl -k`): an attacker between them and
fedra can then steal their tokens.

## Answers

GET and HEAD; of `check` POST; of `watch` see [Stream](#stream). Times are RFC 3339, names and meanings those of `-o json`. What the command would end with is in
`Fedra-Exit-Code`, where that is not 0.

)";

constexpr std::string_view kApiMore = R"(
Errors are a `Status` as API servers send it (`apiVersion: v1`, with `reason`, `message` and `code`).
`Accept-Encoding: gzip` is heeded. An answer must be taken within 30 s, and 16 KiB of it in any 5 s; a connection is closed
after 60 s without a request, and after 1,000 requests. Of more than 256 connections one goes: of the client who has most
(a Unix socket's user, an address, over TLS also a user of the manager) the one that has been silent for longest, be it
that it does not ask or that it does not read. 128 questions are taken at a time, of one client at most three quarters of
those that others leave, and answered in turn by client. Of more than 64 MiB of answers that are not taken those go that have stalled for half a second,
and those of clients with more of them than who asks next. A body must be there
within 10 s; eight are read at a time, and of more one goes, as of connections. Those that have been read may have 8 MiB
together until they are answered, each counting for 128 KiB at least, of one client at most three quarters of what others
leave: beyond is 503. `check` takes at most 2,000
manifests with 100,000 values, and judges for three seconds: then 503 says to send fewer jobs, or to name workers. One check
at a time is made; other answers do not wait for it.

## Pages

`limit` makes a page of a list. `remaining` counts what is behind it, and `continue`, where there is more, is what the next
request sends as `continue`, with the same filters and order; others are refused (400). The word is opaque: it names the
last job's place in the order. So it never expires, and jobs that come or go meanwhile move no other job from one page to
another. `counts` says how many jobs there are without listing any.

A page costs what is on it, and a look at an index to count what is not; only `selector` looks at each job
([performance.md](performance.md#lists-of-jobs)).

## Stream

`watch` is answered with Server-Sent Events (`text/event-stream`), which say what to ask for again, and have no document in
them:

```
event: watching
id: 5f0c21d98a3e4b17.41
data: {"topics":["daemon","workers","jobs"]}

event: changed
id: 5f0c21d98a3e4b17.42
data: {"topics":["jobs"],"jobs":["ml/train"]}
```

- `watching` comes first, and names the topics that follow: over TLS those asked for that the reader may see.
- `changed` names the topics that changed, and of jobs at most 100; of more, or when it is not known which (beyond 2,000 in half
  a second, of all namespaces), it says `"many": true`. There is at most one in 500 ms; what changes meanwhile is put together.
- `resync`: something was missed, or the reader's rights are others now. Ask for everything again.
- `Last-Event-ID` of a connection that ended brings what has changed since, or `resync` when that is not known any more, as
  after a restart.
- A comment comes after 15 s without an event. A client that hears nothing for longer has lost its stream.

It names what the store has: rows of jobs with their verdicts, places, attempts and events; workers; the daemon's own state.
Ages do not count, and of devices and templates it does not know. Clients ask again every 30 s all the same.

64 streams are open at a time on each listener, and of one client 16: over TLS a user of the manager, on a Unix socket one of
the machine. Of one address, which may be a proxy's, there are at most three quarters of those that others leave. Beyond is 503.
They are no questions: a stream costs nothing while nothing changes. Who has not taken an event within 10 s is cut off. `Sec-Fetch-Site`, `Host` and tokens are looked at as everywhere; EventSource of browsers
sends no token, so pages read it with `fetch`, as the dashboard does, once for all of its tabs. Over TLS the token and the
rights are asked about again every 30 s, with answers that are at most 10 s old, once for all streams of a token that ask the
same: without them the stream ends, and when there is no answer (the manager gives none, or too much is asked) for 10 s. Until
then fedra holds the token in its memory.

## Versions

The path and `apiVersion` say the same version. Within it endpoints, parameters and fields stay and keep their meaning;
new ones may come, so clients ignore fields that they do not know. The same holds for the words that a field may have
(`x-extensible-enum` in openapi.json). An unknown parameter is an error, and so is an empty text or list. Text
(`output=table`, `wide`) is for people and may change with every version. [support.md](support.md#what-is-stable) has
the promises.

## Endpoints

Below `/api/v1alpha1/`. Each but `watch` is a command, and its parameters are that command's options.
)";

std::string ParameterLine(const api::Parameter& parameter) {
  std::string meaning(parameter.meaning);
  if (!parameter.choices.empty())
    meaning += fmt::format(". One of {}", fmt::join(parameter.choices, ", "));
  if (parameter.is_required) meaning += "; required";
  if (parameter.form == api::ParameterForm::kList)
    meaning += "; several with commas, or the parameter again";
  if (parameter.most > 0) meaning += fmt::format("; at most {}", parameter.most);
  return fmt::format("| `{}` | {} |\n", parameter.name, meaning);
}

std::string ApiPage() {
  constexpr std::string_view kTable = "\n| parameter | meaning |\n|---|---|\n";
  std::string page(kApiBegin);
  page += "| status | when |\n|---|---|\n";
  for (const api::AnswerCode& code : api::AnswerCodes())
    page += fmt::format("| {} | {} |\n", code.status, code.when);
  page += kApiMore;
  for (const api::Route& route : api::Routes()) {
    const std::string command =
        route.command.empty() ? std::string() : fmt::format("`{}`: ", route.command);
    page += fmt::format("\n### {}\n\n{}. {}`{}`.\n", route.path, route.meaning, command,
                        route.document);
    if (!route.parameters.empty()) page += kTable;
    for (const api::Parameter& parameter : route.parameters) page += ParameterLine(parameter);
  }
  page += fmt::format("\n### Parameters of all endpoints but `watch`\n{}", kTable);
  for (const api::Parameter& parameter : api::CommonParameters()) page += ParameterLine(parameter);
  return page;
}

}  // namespace

TEST_CASE("docs/api.md is what the routes are") { CheckPage(FEDRA_TEST_DATA, "api.md", ApiPage()); }
TEST_CASE("docs/openapi.json is what the routes and the documents' schemas are") {
  CheckPage(FEDRA_TEST_DATA, "openapi.json", testing::OpenApiDocument().dump(1) + "\n");
}
TEST_CASE("docs/reasons.md is what the catalogue says") {
  CheckPage(FEDRA_TEST_DATA, "reasons.md", ReasonsPage());
}
TEST_CASE("docs/states.md is what the states are") {
  CheckPage(FEDRA_TEST_DATA, "states.md", StatesPage());
}
TEST_CASE("docs/metrics.md is what the registry says") {
  CheckPage(FEDRA_TEST_DATA, "metrics.md", MetricsPage());
}
TEST_CASE("docs/kinds.md is what the table of kinds says") {
  CheckPage(FEDRA_TEST_DATA, "kinds.md", KindsPage());
}
TEST_CASE("docs/events.md is what decisions may say") {
  CheckPage(FEDRA_TEST_DATA, "events.md", EventsPage());
}
TEST_CASE("docs/commands.md is what the options say") {
  CheckPage(FEDRA_TEST_DATA, "commands.md", cli::CommandsPage());
}
TEST_CASE("docs/configuration.md is what the schema says") {
  CheckPage(FEDRA_TEST_DATA, "configuration.md", config::ReferencePage());
}

TEST_CASE("deploy/managed-by-policy.yaml writes the field of every kind where the kind has it") {
  std::ifstream file(std::string(FEDRA_TEST_DATA) + "/../../deploy/managed-by-policy.yaml");
  const auto documents = config::YamlToJson(std::string(std::istreambuf_iterator<char>(file), {}));
  REQUIRE(documents);
  // Group, version and resource -> the expression that writes, and the one that says over what.
  std::map<std::string, std::string> written;
  std::map<std::string, std::string> over;
  for (const std::string& text : *documents) {
    const nlohmann::json policy = nlohmann::json::parse(text);
    if (policy["kind"] != "MutatingAdmissionPolicy") continue;
    const std::string expression =
        policy["spec"]["mutations"][0]["applyConfiguration"]["expression"];
    const std::string conditions = policy["spec"]["matchConditions"].dump();
    for (const auto& rule : policy["spec"]["matchConstraints"]["resourceRules"]) {
      for (const auto& plural : rule["resources"]) {
        const std::string resource =
            fmt::format("{}/{}/{}", rule["apiGroups"][0].get<std::string>(),
                        rule["apiVersions"][0].get<std::string>(), plural.get<std::string>());
        written[resource] = expression;
        over[resource] = conditions;
      }
    }
  }
  const size_t all_written = written.size();
  size_t with_field = 1;  // batch/v1 Job
  const auto over_own = [&](const std::string& resource, const std::string& controller) {
    return !controller.empty() && over[resource].find("'" + controller + "'") != std::string::npos;
  };
  CHECK(over_own("batch/v1/jobs", tracking::BatchJobAdapter().own_controller()));
  for (const tracking::KindRow& row : tracking::BuiltInRows()) {
    INFO(row.resource.kind);
    if (row.managed_by.empty()) continue;
    ++with_field;
    const std::string resource = row.resource.ApiVersion() + "/" + row.resource.plural;
    const std::string& expression = written[resource];
    CHECK(over_own(resource, row.own_controller));
    // "spec.runPolicy.managedBy" is written as Object{spec: Object.spec{runPolicy: ...}}.
    const auto& steps = row.managed_by.steps();
    std::string object = "Object";
    for (size_t i = 0; i + 1 < steps.size(); ++i) object += "." + steps[i].key;
    CHECK(expression.find(object + "{managedBy: 'kueue.x-k8s.io/multikueue'}") !=
          std::string::npos);
  }
  CHECK(all_written == with_field);
}

TEST_CASE("docs/alerts: every metric that the rules name exists") {
  std::ifstream file(std::string(FEDRA_TEST_DATA) + "/../../deploy/alerts.yaml");
  const std::string rules(std::istreambuf_iterator<char>(file), {});
  const auto exists = [](const std::string& name) {
    for (const metrics::MetricFamily& family : metrics::MetricFamilies()) {
      const std::string known(family.name);
      if (name == known) return true;
      if (family.type != "histogram") continue;
      for (const char* suffix : {"_bucket", "_sum", "_count"})
        if (name == known + suffix) return true;
    }
    return false;
  };
  int names = 0;
  for (size_t at = rules.find("fedra_"); at != std::string::npos; at = rules.find("fedra_", at)) {
    const size_t end = rules.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", at);
    const std::string name = rules.substr(at, end - at);
    // Behind a colon it is the name of a recording rule, as in job:fedra_devices:sum.
    if (rules[at - 1] != ':') {
      INFO(name);
      CHECK(exists(name));
      ++names;
    }
    at = end;
  }
  CHECK(names >= 20);
}

}  // namespace fedra::docs_test
