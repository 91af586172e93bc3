#pragma once
//
// A reason of every type of facts, and the sentence that is made of it: for tests of everything
// that goes through all facts, and the examples of docs/facts.md.

#include <string>
#include <vector>

#include "verdict/reason.h"

namespace fedra::testing {

struct SampleReason {
  verdict::Reason reason;
  std::string text;
};

inline Quantity Amount(const char* text) { return Quantity::Parse(text).value(); }

inline WallTime SampleTime(int64_t seconds) {
  return WallTime(std::chrono::seconds(1'795'536'000 + seconds));
}

// Against objects, queues, the connection.
// NOLINTNEXTLINE(readability-function-size): a table.
inline std::vector<SampleReason> ObjectSamples() {
  using namespace verdict;
  using enum ReasonCode;
  const Unreadable forbidden{.resource = "deviceclasses.resource.k8s.io",
                             .cause = Unreadable::Cause::kForbidden};
  return {
      {{kQueueMissing, "", Sentence{"it is not there"}}, "it is not there"},
      {{kDeviceClassMissing, "DeviceClass gpu",
        Missing{.kind = "DeviceClass", .key = {"", "gpu"}, .named_by = "ResourceClaim ml/shared"}},
       "DeviceClass gpu, which ResourceClaim ml/shared names, does not exist there"},
      {{kTemplateMissing, "ResourceClaimTemplate ml/one",
        Missing{.kind = "ResourceClaimTemplate",
                .key = {"ml", "one"},
                .copy = Missing::Copy::kUnknown,
                .unknown = forbidden}},
       "ResourceClaimTemplate ml/one does not exist there, and the manager's are not known: not "
       "allowed to list or watch deviceclasses.resource.k8s.io (403)"},
      {{kForbidden, "deviceclasses.resource.k8s.io", forbidden},
       "not allowed to list or watch deviceclasses.resource.k8s.io (403)"},
      {{kTemplateDrift, "ResourceClaimTemplate ml/one",
        Drift{"ResourceClaimTemplate ml/one", {{"spec.count", "2", ""}, {"spec.x", {}, "1"}}, 3}},
       "ResourceClaimTemplate ml/one differs from the manager's: spec.count: 2 there,  on the "
       "manager; spec.x: absent there, 1 on the manager; and 1 more"},
      {{kQueueFull, "ClusterQueue gpu",
        Quota{.queue = "gpu",
              .limit = Quota::Limit::kReserved,
              .resource = "cpu",
              .pod_set = "main",
              .pods = 2,
              .asked = Amount("4"),
              .most = Amount("10"),
              .reserved = Amount("8")}},
       "2 pods of set main ask for 4 cpu each, and ClusterQueue gpu has reserved 8 of its 10 for "
       "others"},
      {{kQueueFull, "ClusterQueue gpu",
        Quota{.queue = "gpu",
              .limit = Quota::Limit::kReserved,
              .resource = "memory",
              .pod_set = "main",
              .pods = 1,
              .asked = Amount("4Gi"),
              .most = Amount("10Gi"),
              .reserved = Amount("2Gi"),
              .dispatched = Amount("5Gi")}},
       "1 pod of set main asks for 4Gi memory, and ClusterQueue gpu has reserved 2Gi of its 10Gi "
       "for others; jobs that were dispatched there ask for another 5Gi"},
      {{kCapabilityUndeclared, "capability rdma", Undeclared{"ResourceClaim ml/fast", "rdma"}},
       "ResourceClaim ml/fast needs the capability rdma, which is not declared for this worker"},
      {{kDependencyMissing, "Namespace ml",
        MissingLabel{"ResourceClaim ml/monitor", "resource.kubernetes.io/admin-access"}},
       "ResourceClaim ml/monitor asks for admin access, and the namespace lacks the label "
       "resource.kubernetes.io/admin-access=true there"},
      {{kQueueStopped, "ClusterQueue gpu",
        QueueStopped{{{"ClusterQueue gpu", true}, {"LocalQueue ml/gpu", false}}}},
       "ClusterQueue gpu is being drained (stopPolicy HoldAndDrain); LocalQueue ml/gpu is stopped "
       "(stopPolicy Hold)"},
      {{kQueueInactive, "LocalQueue ml/gpu", QueueInactive{"LocalQueue ml/gpu", "no flavor"}},
       "LocalQueue ml/gpu is not active: no flavor"},
      {{kApiVersionOld, "resource.k8s.io", ApiVersion{"resource.k8s.io", "v1alpha3"}},
       "the API server serves only resource.k8s.io/v1alpha3"},
      {{kNameConflict, "Job ml/train", NameTaken{"Job ml/train", true}},
       "a Job ml/train that another manager's fedra made exists there"},
      {{kClusterUnreachable, "",
        Connection{.state = Connection::State::kLost,
                   .error = "connection refused",
                   .since = SampleTime(0)}},
       "no contact since 2026-11-24T16:00:00Z (connection refused)"},
      {{kClaimElsewhere, "ResourceClaim ml/shared",
        ClaimPlace{"ResourceClaim ml/shared", {"gpu-west"}, ObjectKey{"ml", "first"}}},
       "ResourceClaim ml/shared belongs to gpu-west: ml/first, which shares it, was dispatched "
       "there"},
      {{kSchedulerUnverified, "schedulerName other", OtherScheduler{"other"}},
       "no API reveals whether the scheduler other runs there; the verdict assumes kube-scheduler"},
      {{kGangIncomplete, "PodGroup ml/train", Gang{"PodGroup ml/train", 8, 4, 1}},
       "PodGroup ml/train needs minCount 8 pods before any of them is scheduled; the job has 4, "
       "and "
       "the worker has 1 of this group"},
      {{kGroupUnverified, "PodGroup ml/train",
        GroupTerms{"PodGroup ml/train", {"schedulingConstraints"}}},
       "PodGroup ml/train has schedulingConstraints, which fedra does not look at: the pods may "
       "not "
       "fit as it demands"},
      {{kReleaseUnverified, "",
        ReleaseDoubt{ReleaseDoubt::Kind::kGates,
                     "1.35",
                     {"consumesCounters (DRAPartitionableDevices)"},
                     {}}},
       "the worker's objects have consumesCounters (DRAPartitionableDevices): off by default in "
       "1.35, and what its kube-scheduler makes of it is not judged"},
      {{kReleaseUnknown, "", ReleaseDoubt{ReleaseDoubt::Kind::kNearest, "1.37", {}, {}}},
       "the worker's Kubernetes is of no release that fedra knows: its devices are judged as by "
       "kube-scheduler 1.37"},
      {{kReleaseUnknown, "", ReleaseDoubt{ReleaseDoubt::Kind::kNearest, "1.37", {}, "v1.38.0"}},
       "the worker's Kubernetes v1.38.0 is of no release that fedra knows: its devices are judged "
       "as "
       "by kube-scheduler 1.37"},
      {{kPodUnverified, "pod set main", PodTerms{"main", {"affinity.podAffinity"}}},
       "not judged of the pods of main: affinity.podAffinity"},
      {{kApiVersionOld, "DeviceTaintRule old", BroadTaintRules{2, "old"}},
       "2 DeviceTaintRules (such as old) select by deviceClassName or by selectors, which is not "
       "evaluated: fewer devices may be tainted than it seems"},
      {{kExcluded, "AdmissionCheck gpu", NotAllowed{"gpu"}}, "AdmissionCheck gpu does not name it"},
      {{kWorkerCordoned, "", Cordoned{true, "new firmware"}}, "it is drained: new firmware"},
      {{kMovedAway, "", MovedAway{"gpu-west", SampleTime(60)}},
       "the job was moved to gpu-west, and goes nowhere else until 2026-11-24T16:01:00Z"},
      {{kKueueDisconnected, "",
        Connection{.state = Connection::State::kKueueInactive, .error = "connection refused"}},
       "Kueue on the manager is not connected to it: connection refused"},
      {{kInLine, "", InLine{2, ObjectKey{"ml", "first"}, -5, "Backfill"}},
       "free devices go to those ahead in line: 2 jobs, first ml/first (priority -5, order "
       "Backfill)"},
      {{kDevicesAllocated, "", Reserved{1, 2, {"ml", "first"}}},
       "1 device to spare, and at least 2 reserved for jobs already dispatched there (job "
       "ml/first)"},
      {{kRecentlyFailed, "", Setback{"refused the job: 422", SampleTime(0), SampleTime(60)}},
       "refused the job: 422 (at 2026-11-24T16:00:00Z); tried again at 2026-11-24T16:01:00Z"},
  };
}

// Against devices and nodes.
// NOLINTNEXTLINE(readability-function-size): a table.
inline std::vector<SampleReason> DeviceSamples() {
  using namespace verdict;
  using enum ReasonCode;
  const DeviceCounts counts{
      .requested = {"gpu", "claim gpu (template one)", "gpu.example.com", 2, false},
      .devices = 9,
      .parts = {{.rule = Rule::kOtherDriver, .devices = 2},
                {.rule = Rule::kRequestSelector, .devices = 1, .detail = "1"},
                {.rule = Rule::kAllocated,
                 .devices = 3,
                 .holders = {{true, {"ml", "train"}}, {false, {"web", "claim"}}},
                 .all_holders = 4},
                {.rule = Rule::kCapacity,
                 .devices = 2,
                 .needs = {{"memory", Amount("20Gi"), Amount("8Gi"), false, "gpu-3"}}},
                {.devices = 1}},
      .shortfall = Shortfall{4, 8, 3, false}};
  const ResourceShortage cpu{"cpu", Amount("8"), Amount("3"), Amount("64"), 2};
  return {
      {{kNotEnoughDevices, "DeviceClass gpu.example.com", counts,
        NewNodes{1, {{"gpu.example.com", 8}}, {{"zone", "a"}}}},
       "request gpu of claim gpu (template one) wants 2 devices of class gpu.example.com on one "
       "node; 4 "
       "pods need 8 devices, only 3 are untainted and on nodes the pods can use: 9 devices: 2 "
       "other "
       "driver, 1 fail request selector 1, 3 allocated (job ml/train, web/claim and 2 more), 2 "
       "without enough capacity: need 20Gi of memory (8Gi left on gpu-3), 1 free; 1 new node of a "
       "scalable pool (8 devices of class gpu.example.com, zone=a) could provide it"},
      {{kNoMatchingDevice, "DeviceClass gpu.example.com",
        AlternativeCounts{
            .request = "gpu",
            .claim = "claim gpu",
            .alternatives = {{kDriverMissing,
                              {.requested = {"gpu/large", "claim gpu", "large", 1, false},
                               .devices = 1,
                               .parts = {{.rule = Rule::kOtherDriver, .devices = 1}}}}},
            .all = 2,
            .with_all_free = WithAllFree{1, 2}}},
       "request gpu of claim gpu fits in none of 2 alternatives: large: 1 device of "
       "class large (DriverMissing; 1 device: 1 other driver), ...; even with every device free "
       "only 1 of 2 pods would fit"},
      {{kSelectorError, "", BrokenSelector{"gpu", "claim gpu", "undeclared reference to 'x'"}},
       "request gpu of claim gpu: undeclared reference to 'x'"},
      {{kCountersExhausted, "Node n1",
        JointShortage{.cause = JointShortage::Cause::kCounters,
                      .node = "n1",
                      .amounts = {{.devices = 2,
                                   .counter = "set/memory",
                                   .need = {.need = Amount("10Gi"), .left = Amount("8Gi")},
                                   .for_all = true}}}},
       "shared counters are used up on node n1: 2 need 10Gi each of set/memory (8Gi left for all)"},
      {{kNodeResources, "",
        NodeRoom{.resources = {cpu}, .have_devices = true, .nodes = 2, .of = 3}},
       "there is no room now on 2 of 3 nodes, which could take the pod otherwise: each pod asks "
       "for "
       "8 cpu, at most 3 is free on one node"},
      {{kResourceMissing, "",
        NoSuchResource{.resource = {"example.com/nic", Amount("1"), {}, {}, 3},
                       .source = NoSuchResource::Source::kNoClass,
                       .meant = "example.com/nics"}},
       "no node has example.com/nic, and no DeviceClass has it as extendedResourceName (did you "
       "mean example.com/nics?)"},
      {{kNodeMismatch, "",
        NodeCounts{.nodes = 5,
                   .refused = {{{NodeRefusal::Why::kSelector, "pool=a"}, 2},
                               {{NodeRefusal::Why::kClaim, "ResourceClaim ml/x", "timed out"}, 1},
                               {{NodeRefusal::Why::kUnschedulable}, 2}},
                   .first = {"n1", "n2", "n3"}}},
       "0/5 nodes can run the pod: 2 didn't match nodeSelector pool=a, 1 excluded because "
       "ResourceClaim ml/x could not be bound (timed out), 2 unschedulable (nodes n1, n2, n3 and 2 "
       "more)"},
      {{kNodeMismatch, "",
        NodeCounts{.nodes = 5,
                   .with_devices = true,
                   .refused = {{{NodeRefusal::Why::kUnusedClaim, "claim gpu"}, 1},
                               {{NodeRefusal::Why::kPodRequest, "cpu"}, 2},
                               {{NodeRefusal::Why::kClaimOfOther, "ResourceClaim ml/x"}, 1}}}},
       "nodes cannot take the pod with its devices: 1 because no container uses claim gpu, whose "
       "devices take some of the node's resources, 2 because the pod's own request for cpu does "
       "not "
       "cover its containers and devices, 1 because another pod holds resources of the node "
       "through "
       "ResourceClaim ml/x"},
      {{kPodPlacement, "pod set large",
        EarlierPods{.earlier = {"small"},
                    .nodes = {"n1", "n2"},
                    .pod_set = "large",
                    .fitting = 0,
                    .wanted = 1}},
       "the pods of small come first and take nodes n1, n2, so that 0 of 1 pods of large fit; all "
       "could fit if those of large came first"},
      {{kPodPlacement, "pod set large",
        EarlierPods{.by_chance = true,
                    .earlier = {"driver", "small"},
                    .nodes = {"n1", "n2", "n3"},
                    .more_nodes = 2,
                    .pod_set = "large",
                    .fitting = 3,
                    .wanted = 4}},
       "kube-scheduler takes any of the nodes that it scores alike: where the pods of driver and "
       "small take nodes n1, n2, n3 and 2 more, 3 of 4 pods of large fit"},
      {{kPodsDoNotFit, "pod set main", PodsFit{1, 4}}, "1 of 4 pods fit"},
      {{kPodsDoNotFit, "", ReleaseDoubt{ReleaseDoubt::Kind::kCounts, "1.35", {}, {}}},
       "how many pods fit may be chance, for kube-scheduler 1.35 looks at the pools and slices "
       "of a node in any order; all of them fit in none"},
      {{kCapacityExhausted, "ResourceClaim ml/x", FullClaim{"ResourceClaim ml/x", 256, 250, 6}},
       "ResourceClaim ml/x can have no more than 256 consumers, and has 250 of them already"},
      {{kNodeMismatch, "", Unbindable{.nodes = 2, .of = 3}},
       "2 of 3 nodes have the pod's extended resources from a device plugin; kube-scheduler cannot "
       "bind a pod there that has claims as well"},
      {{kAllocationError, "Node n1",
        SchedulerError{
            .node = "n1", .error = "boom", .pods = 1, .pod_set = "main", .by_chance = true}},
       "kube-scheduler fails with an error on node n1 once 1 pod of pod set main is there: boom; "
       "whether it comes to that depends on which nodes it prefers"},
      {{kBudgetExceeded, "pod set main",
        SearchLimit{.where = "n1", .steps = 100, .most = 90, .fitting = 1, .wanted = 2}},
       "the search for devices was given up on node n1 after 100 steps (at most 90 for all pods "
       "and "
       "nodes together): 1 of 2 pods had found their devices"},
  };
}

inline std::vector<SampleReason> SampleReasons() {
  std::vector<SampleReason> all = ObjectSamples();
  for (SampleReason& sample : DeviceSamples()) all.push_back(std::move(sample));
  return all;
}

}  // namespace fedra::testing
