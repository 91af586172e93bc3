#include "verdict/reason_code.h"

#include <array>

namespace fedra::verdict {
namespace {

using enum ReasonCode;

constexpr std::string_view kReach = "Reachability";
constexpr std::string_view kAccess = "Access";
constexpr std::string_view kObjects = "Objects";
constexpr std::string_view kDevices = "Devices";
constexpr std::string_view kOther = "Other";

constexpr std::array kCatalogue = {
    ReasonEntry{
        kClusterUnreachable, "ClusterUnreachable", kReach,
        "there is no contact with the worker's API server",
        "Connections are refused, cut, or get no answer in time; the address does not resolve; or "
        "a proxy is down.",
        "See `fedra status workers` for the exact error and since when. fedra reconnects; it moves "
        "the jobs of a worker that is unreachable longer than workerLostTimeout."},
    ReasonEntry{
        kClusterMisconfigured, "ClusterMisconfigured", kReach,
        "the worker's kubeconfig cannot be used",
        "The file is missing, malformed, names an unknown context, or asks for something fedra "
        "refuses.",
        "Run `fedra config validate`; fix the kubeconfig. It is read again without a restart."},
    ReasonEntry{
        kCredentialsRejected, "CredentialsRejected", kReach,
        "the worker does not accept our credentials (401)",
        "The token or client certificate has expired, was revoked, or belongs to another cluster.",
        "Renew the credentials in the worker's kubeconfig. They are read again without a restart."},
    ReasonEntry{kCertificateUntrusted, "CertificateUntrusted", kReach,
                "the worker's server certificate does not verify",
                "certificate-authority in the kubeconfig is not the CA of that server, the "
                "certificate has expired, or its "
                "names do not include the address.",
                "Put the right CA into the kubeconfig, or set tls-server-name. Turning "
                "verification off needs allowInsecure "
                "in fedra's configuration."},
    ReasonEntry{kForbidden, "Forbidden", kAccess,
                "the worker refuses what fedra must read or copy there (403)",
                "The account in the worker's kubeconfig lacks a permission. This is not the same "
                "as a missing object: fedra cannot know.",
                "Apply deploy/worker-rbac.yaml on the worker, or the file that the message names, "
                "or grant the verb and resource in it."},
    ReasonEntry{
        kApiMissing, "ApiMissing", kAccess, "the worker does not serve an API that the job needs",
        "Dynamic Resource Allocation is switched off there (Kubernetes before 1.34), or Kueue is "
        "not installed, or older than 0.15.",
        "Enable resource.k8s.io/v1 on the worker, or install Kueue 0.15 or newer, which serves "
        "v1beta2 of its API."},
    ReasonEntry{kApiVersionOld, "ApiVersionOld", kAccess,
                "the worker serves only an API version fedra does not read",
                "resource.k8s.io is served in alpha versions only (Kubernetes 1.31 or older), or a "
                "DeviceTaintRule selects by deviceClassName or by CEL selectors, which v1alpha3 "
                "allowed up to Kubernetes 1.34 and fedra does not evaluate.",
                "Upgrade the worker to Kubernetes 1.34 or newer; let DeviceTaintRules name driver, "
                "pool or device."},
    ReasonEntry{kNamespaceMissing, "NamespaceMissing", kObjects,
                "the job's namespace does not exist on the worker",
                "Kueue and fedra keep the namespace of a job; neither creates it.",
                "kubectl --context WORKER create namespace NAME"},
    ReasonEntry{kQueueMissing, "QueueMissing", kObjects,
                "the LocalQueue does not exist on the worker",
                "The copy of the job keeps its queue name; a LocalQueue of the same namespace and "
                "name must exist there.",
                "Create the LocalQueue on the worker."},
    ReasonEntry{kQueueInactive, "QueueInactive", kObjects,
                "the LocalQueue or its ClusterQueue on the worker is not active",
                "The queue is stopped, its ClusterQueue is missing, or a flavor or admission check "
                "of it is.",
                "The message repeats Kueue's; on the worker, kubectl describe localqueue -n "
                "NAMESPACE NAME and kubectl describe clusterqueue NAME say all of it."},
    ReasonEntry{
        kQueueStopped, "QueueStopped", kObjects,
        "the LocalQueue or its ClusterQueue on the worker is stopped or drained",
        "An administrator of the worker has set its stopPolicy: Hold lets running jobs end, "
        "HoldAndDrain evicts them too.",
        "On the worker, kubectl patch clusterqueue NAME --type=merge -p "
        "'{\"spec\":{\"stopPolicy\":\"None\"}}' opens it again, or kubectl patch localqueue -n "
        "NAMESPACE NAME with the same patch: the message says which of them, or that it is both. "
        "Waiting jobs are then dispatched."},
    ReasonEntry{
        kQueueCannotHold, "QueueCannotHold", kObjects,
        "the worker's ClusterQueue can never admit the job",
        "Its resource groups do not cover a resource that the pods ask for, or the quota of "
        "its largest flavor is smaller than what the pods of one set ask for together.",
        "Add the resource to a resource group of the ClusterQueue, raise its nominalQuota, "
        "or ask for less. verification.queueQuota: Ignore if Kueue's configuration there "
        "excludes or transforms the resource."},
    ReasonEntry{
        kQueueFull, "QueueFull", kObjects, "the worker's ClusterQueue has no room for the job now",
        "Other workloads have reserved its quota, or were dispatched there and will take it. The "
        "worker can run the job; workers whose queue has room come first.",
        "No action needed: the job waits there for quota if no other worker has room."},
    ReasonEntry{
        kKindMissing, "KindMissing", kObjects, "the worker does not know the job's kind",
        "The custom resource definition of the kind, in the version that docs/kinds.md "
        "names, is not installed there. Jobs of other kinds are not concerned.",
        "Install the operator of that kind on the worker; fedra notices within half a minute. "
        "Kueue there must have the kind among its integrations."},
    ReasonEntry{
        kDeviceClassMissing, "DeviceClassMissing", kObjects,
        "a DeviceClass that the worker's template or claim names does not exist on the worker",
        "The driver that the class belongs to is not installed, or the class has another name "
        "there. "
        "Kueue would admit the "
        "job and its pods would stay Pending.",
        "Install the driver on the worker, or create the DeviceClass; kubectl --context WORKER get "
        "deviceclasses lists those that there are."},
    ReasonEntry{
        kTemplateMissing, "TemplateMissing", kObjects,
        "a ResourceClaimTemplate that the job names does not exist on the worker",
        "Kueue does not copy ResourceClaimTemplates; the worker's own copy is what its pods use. "
        "Beside the verdict Yes it is only a note: fedra copies the template with the job.",
        "Create the template in the job's namespace on the worker; or, where the manager has it, "
        "let "
        "fedra copy it (verification.templates.sync, docs/templates.md). The job is dispatched at "
        "once, without a restart or resubmission."},
    ReasonEntry{
        kTemplateDrift, "TemplateDrift", kObjects,
        "the worker's ResourceClaimTemplate, or the runtime of a TrainJob, differs from the "
        "manager's",
        "One of the copies was changed. With drift: Warn the job is dispatched anyway; with "
        "Require it is not.",
        "Make the copies equal (the message names the fields), or set "
        "verification.templates.drift."},
    ReasonEntry{
        kClaimMissing, "ClaimMissing", kObjects,
        "a ResourceClaim that the job names does not exist on the worker, or takes no pods",
        "The pods use a claim by name; it must exist in their namespace before they start. "
        "One that is being deleted, or whose allocation pods cannot be added to, is as good "
        "as none.",
        "Create the ResourceClaim on the worker that is to run the job; delete the old one "
        "first where the message says so."},
    ReasonEntry{kClaimElsewhere, "ClaimElsewhere", kObjects,
                "the named ResourceClaim is in use on another worker",
                "All users of one claim must run where its devices are: where it is allocated, or "
                "where the first of them was dispatched.",
                "Wait until its users there have ended, or delete the claim there."},
    ReasonEntry{kNameConflict, "NameConflict", kObjects,
                "a Job or Workload of the same name that is not ours exists on the worker",
                "Copies keep namespace and name. fedra never changes or deletes an object without "
                "its own origin label and UID.",
                "Rename the job, or remove the foreign object on the worker."},
    ReasonEntry{
        kDependencyMissing, "DependencyMissing", kObjects,
        "something else that the pods need does not exist on the worker",
        "ConfigMaps, Secrets, PersistentVolumeClaims, ServiceAccounts, PriorityClasses, "
        "RuntimeClasses or PodGroups are not copied; nor is the runtime that a TrainJob names, "
        "or the label of a namespace that allows admin access to devices.",
        "Create the named object on the worker, or add the label that the message names."},
    ReasonEntry{
        kGangIncomplete, "GangIncomplete", kObjects,
        "the PodGroup on the worker waits for more pods than the job has",
        "spec.schedulingPolicy.gang.minCount is larger than the number of the job's pods and "
        "the group's pods on the worker together; kube-scheduler starts none of them before "
        "so many exist. The feature gate GangScheduling could be off; no API reveals that.",
        "Lower minCount in the PodGroup on the worker, or raise the job's parallelism."},
    ReasonEntry{
        kDriverMissing, "DriverMissing", kDevices,
        "no driver on the worker publishes devices for a class the job needs",
        "The class exists, but there is no ResourceSlice of its driver, which its selectors "
        "name: kubectl get deviceclass NAME -o yaml.",
        "Install or repair the DRA driver there: `kubectl get resourceslices` on the worker "
        "shows what is published."},
    ReasonEntry{kPoolIncomplete, "PoolIncomplete", kDevices,
                "a pool of devices is not completely published",
                "A driver is publishing ResourceSlices right now, or stopped half way.",
                "Wait a moment; if it stays, restart the driver on the node named in the message."},
    ReasonEntry{
        kNoMatchingDevice, "NoMatchingDevice", kDevices,
        "no device on the worker matches the selectors",
        "The class's or the request's CEL selectors are false for every device.",
        "The message counts how many devices failed at which selector; try it with `fedra devices "
        "--selector 'EXPR'` or `fedra cel`."},
    ReasonEntry{
        kNotEnoughDevices, "NotEnoughDevices", kDevices,
        "fewer devices match than the job asks for",
        "Matching devices exist, but not enough of them: on one node for one pod, or in all "
        "for all pods, even if no other job held any.",
        "Ask for fewer devices or pods, or use a worker with more devices or larger nodes."},
    ReasonEntry{kDevicesAllocated, "DevicesAllocated", kDevices,
                "matching devices exist but are in use",
                "Other claims hold them, or they are reserved for jobs already dispatched there.",
                "No action needed: the job is dispatched in its turn, once enough devices are free "
                "there."},
    ReasonEntry{
        kInLine, "InLine", kDevices,
        "devices are free, and jobs that are ahead in line get them first",
        "Jobs that wait for the same devices are dispatched by priority, then by how long "
        "they have waited; with dispatch.order Strict or Backfill the first in line may also keep "
        "devices free until there are enough for it.",
        "No action needed: the job is dispatched in its turn. The line `order` of `fedra why` "
        "names "
        "the job that holds it back, and its order; docs/ordering.md says what each guarantees."},
    ReasonEntry{kConstraintUnsatisfied, "ConstraintUnsatisfied", kDevices,
                "devices match one by one, but not together (matchAttribute or distinctAttribute)",
                "No set of free devices shares the required attribute.",
                "See the constraint named in the message."},
    ReasonEntry{
        kCountersExhausted, "CountersExhausted", kDevices,
        "partitions exist, but their parent device is used up, or in use by others that they do "
        "not "
        "go with",
        "Partitionable devices draw on shared counters that other partitions have consumed, or "
        "their "
        "compatibility groups differ from those of partitions in use.",
        "No action needed: the job is dispatched in its turn, once enough partitions are free. "
        "Where the message says that even free devices are too few: ask for less, or use another "
        "worker."},
    ReasonEntry{
        kCapacityExhausted, "CapacityExhausted", kDevices,
        "shared devices, or a shared claim, have not enough capacity left",
        "Consumable capacity of every matching device is taken, or the ResourceClaim that "
        "the pods share has as many consumers as can be recorded (256).",
        "No action needed: the job is dispatched in its turn, once enough capacity is free. "
        "Where the message says that even free devices are too few: ask for less, or use another "
        "worker. Where it counts "
        "consumers: let fewer pods share the claim."},
    ReasonEntry{kDeviceTainted, "DeviceTainted", kDevices,
                "matching devices are tainted and the claim does not tolerate it",
                "A driver or a DeviceTaintRule marks them, for example for maintenance.",
                "Wait, remove the taint, or add a toleration to the request."},
    ReasonEntry{
        kSelectorError, "SelectorError", kDevices,
        "a CEL selector fails to compile or to evaluate on the worker's devices",
        "The scheduler there would abort the whole pod: an error is not a mismatch.",
        "The message says what to write instead, where that is known. Try it on the devices "
        "of every worker with `fedra devices --selector 'EXPR'`, or on slices from a file "
        "with `fedra cel`. The spec of a ResourceClaimTemplate is immutable: delete the template "
        "and create it again; the job need not be submitted again."},
    ReasonEntry{
        kAllocationError, "AllocationError", kDevices,
        "the scheduler's allocator gives up on the claim",
        "The allocator rejects claims with more than 32 devices, constraints that allocationMode "
        "All cannot keep, slices whose nodeSelector has several terms or cannot be read, and "
        "fields that the worker's release does not know. The pod is then placed nowhere, even if "
        "other nodes would do.",
        "Change what the message names: ask for at most 32 devices per claim, use "
        "ExactCount with the constraint, or have the driver publish a nodeSelector of one "
        "valid term."},
    ReasonEntry{
        kNodeMismatch, "NodeMismatch", kDevices, "no node that the pods accept has the devices",
        "nodeSelector, affinity, node taints or a cordon exclude the nodes with matching devices; "
        "or a "
        "ResourceClaim that the pods share is allocated elsewhere or could not be bound; or the "
        "nodes have the pods' extended resources from a device plugin, beside which "
        "kube-scheduler binds no pod that has claims.",
        "A node that is unschedulable takes pods again after `kubectl uncordon NODE`. Otherwise "
        "compare the pod's node constraints with the labels of the nodes named in the message. A "
        "claim whose binding failed: delete it and create it again. Extended resources: ask for "
        "them by a claim, or use nodes without the plugin."},
    ReasonEntry{
        kResourceMissing, "ResourceMissing", kDevices,
        "no node has a resource that the pods ask for, and no DeviceClass provides it",
        "The name is misspelt, the device plugin that serves the resource is not installed, or no "
        "DeviceClass has it as extendedResourceName.",
        "Waiting does not help. Correct the name in the job, or provide the resource on the "
        "worker: install its device plugin, or set spec.extendedResourceName of a DeviceClass."},
    ReasonEntry{
        kNodesTooSmall, "NodesTooSmall", kDevices,
        "the nodes are too small for the pods, even when nothing else runs there",
        "Each pod asks for more CPU, memory or another resource than any node with the devices "
        "has, or all pods together ask for more than those nodes have.",
        "Waiting does not help. Ask for less per pod or for fewer pods, or use a worker with "
        "larger nodes."},
    ReasonEntry{
        kNodeResources, "NodeResources", kDevices,
        "the nodes have too little CPU, memory or other resources free now",
        "Other pods use them; the nodes are large enough.",
        "No action needed: the job is dispatched once enough is free. `kubectl describe nodes` on "
        "the worker lists the pods that use it."},
    ReasonEntry{
        kPodPlacement, "PodPlacement", kDevices,
        "pods of the job are in each other's way: the first ones take what later ones need",
        "kube-scheduler places pods one by one, on the node that it scores best, mostly the "
        "emptiest; of nodes that score alike it takes any. It leaves no room for pods that are to "
        "come. Those that do not fit would fit alone.",
        "Let the pods that do not fit come first: put their pod set first in the job (in a JobSet, "
        "startupPolicy InOrder makes sure of the order). Or keep the others off the nodes that "
        "they need: by node affinity (kubernetes.io/hostname, NotIn), or by a taint that they do "
        "not "
        "tolerate."},
    ReasonEntry{
        kPodsDoNotFit, "PodsDoNotFit", kDevices, "some of the pods fit, but not all of them",
        "The job needs all its pods at once.",
        "The reason before it says what is missing: where other claims hold it, wait; otherwise "
        "reduce parallelism."},
    ReasonEntry{kCapabilityUndeclared, "CapabilityUndeclared", kOther,
                "the job needs a capability that is not declared for the worker",
                "Some driver features cannot be seen through the API.",
                "List it under workers[].capabilities."},
    ReasonEntry{
        kSchedulerUnverified, "SchedulerUnverified", kOther,
        "the pods name a scheduler of their own, and no API reveals whether it runs on the worker",
        "spec.schedulerName is neither empty nor default-scheduler. Without that scheduler the "
        "pods stay Pending for ever. What fedra says about devices holds for kube-scheduler; "
        "another scheduler may place the pods otherwise.",
        "Make sure that the scheduler runs on the worker; if it does on all of them, "
        "verification.dependencies: Warn makes this a note. Or leave out schedulerName."},
    ReasonEntry{
        kGroupUnverified, "GroupUnverified", kOther,
        "the PodGroup on the worker demands more than fedra looks at",
        "It names a topology that its pods must share (schedulingConstraints) or a group above it "
        "(parentCompositePodGroupName). Both are alpha in Kubernetes 1.37; pods that fit one by "
        "one may not fit as the group demands.",
        "See that the worker has room for the whole group as it demands, and set "
        "verification.unknown to let the job try; or leave these fields out."},
    ReasonEntry{
        kReleaseUnverified, "ReleaseUnverified", kOther,
        "what kube-scheduler of the worker's release makes of the job cannot be foretold",
        "It depends on chance, on a mistake of that release, or on a feature gate that is off by "
        "default and that an administrator of the worker seems to have turned on: its objects have "
        "fields of it. docs/releases.md says which releases do so.",
        "Upgrade the worker: docs/releases.md says which release is certain. "
        "verification.unknown lets the job try all the same."},
    ReasonEntry{
        kReleaseUnknown, "ReleaseUnknown", kOther,
        "the worker's Kubernetes is none of the releases whose kube-scheduler fedra knows",
        "It is newer than this fedra, or older than docs/support.md allows. Its devices are judged "
        "as kube-scheduler of the nearest known release would; what that does otherwise is missed. "
        "It is a note beside the verdict, which stays what it is.",
        "Upgrade fedra, or bring the worker to a release that docs/support.md names."},
    ReasonEntry{
        kPodUnverified, "PodUnverified", kOther,
        "the pods demand something of their nodes that fedra does not look at",
        "kube-scheduler has more filters than fedra judges: affinity to other pods, topology "
        "spread, volumes and some more. Beside the verdict Yes it is only a note.",
        "See that the worker has nodes that satisfy what the message names; docs/agreement.md "
        "lists what is judged."},
    ReasonEntry{kStaleData, "StaleData", kOther,
                "what we know about the worker is incomplete or too old",
                "A list is still being read, or a watch has been failing.",
                "Wait; if it stays, see `fedra status workers`."},
    ReasonEntry{
        kBudgetExceeded, "BudgetExceeded", kOther, "the search for devices was given up",
        "The claims allow too many combinations to try them all, here or for kube-scheduler, "
        "which gives up after 10 seconds; or there are more pods than are placed one by "
        "one.",
        "Make the selectors narrower, ask for fewer devices in one request, or split the "
        "job."},
    ReasonEntry{
        kExcluded, "Excluded", kOther, "the job may not run on this worker",
        "The AdmissionCheck of its queue names a MultiKueueConfig that does not list the worker.",
        "Add the worker to that MultiKueueConfig, or use another queue."},
    ReasonEntry{
        kWorkerRemoved, "WorkerRemoved", kOther, "the worker was removed from the configuration",
        "fedra's configuration does not name the worker any more. It gets no new jobs; "
        "dispatch.removedWorkers says whether those that it has may end there.",
        "No action needed where that is meant. A worker that was removed by mistake: put it back "
        "into the configuration, which is read again without a restart."},
    ReasonEntry{
        kWorkerCordoned, "WorkerCordoned", kOther,
        "an administrator has taken the worker out of service",
        "fedra cordon or fedra drain was run for it, or its annotation was put on an "
        "AdmissionCheck by hand. It gets no new jobs; drained, its jobs move to other workers.",
        "No action needed while that is meant. Afterwards: fedra uncordon WORKER."},
    ReasonEntry{
        kMovedAway, "MovedAway", kOther, "the job was moved away from this worker, as asked",
        "fedra move was run for it, or its annotations were put on the Workload by hand. Until the "
        "time that the message names it goes to the worker that was asked for, or to any but the "
        "one that it came from, as long as one of these can take it.",
        "No action needed: should the other workers not be able to take it, it may come back here. "
        "Removing the annotation move.fedra.dev/at from the job's Workload ends it at once."},
    ReasonEntry{kKueueDisconnected, "KueueDisconnected", kOther,
                "Kueue on the manager, which copies the job, is not connected to this worker",
                "With kueue.mode dispatcher MultiKueue copies. The MultiKueueCluster of the "
                "worker's name is missing, or its condition Active is not True; fedra itself may "
                "reach the worker.",
                "See `kubectl get multikueueclusters` on the manager. A worker in fedra's "
                "configuration must have the name of its MultiKueueCluster."},
    ReasonEntry{
        kRecentlyFailed, "RecentlyFailed", kOther,
        "the job was dispatched there a short while ago, and was not admitted or was evicted",
        "The admission time-out passed, the worker refused the job or ended its copy, or Kueue "
        "there evicted it; other workers are tried first.",
        "fedra tries it again, after the other workers. Where the message names a missing right, "
        "a webhook or a quota, fix that on the worker, and `fedra retry NAMESPACE/NAME` has it "
        "tried at once; `fedra history NAMESPACE/NAME` shows the attempts."},
};

static_assert(kCatalogue.size() == static_cast<size_t>(kRecentlyFailed) + 1,
              "one entry for every code");

constexpr bool IsInOrder() {
  for (size_t i = 0; i < kCatalogue.size(); ++i)
    if (kCatalogue[i].code != static_cast<ReasonCode>(i)) return false;
  return true;
}
static_assert(IsInOrder(), "the entry of a code is found by its number");

}  // namespace

std::span<const ReasonEntry> ReasonCatalogue() { return kCatalogue; }

std::string_view ToString(ReasonCode code) { return kCatalogue[static_cast<size_t>(code)].name; }

std::optional<ReasonCode> ParseReasonCode(std::string_view name) {
  for (const ReasonEntry& entry : kCatalogue) {
    if (entry.name == name) return entry.code;
  }
  return std::nullopt;
}

}  // namespace fedra::verdict
