#pragma once
//
// What rules out a worker's nodes, and what the scheduler does on them, as facts and in
// counts. verdict/reason_text.h puts them into words.
//
// A text in here is a name, or an error of the scheduler's. Plain values; fact_fields.h names every
// field for programs.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/quantity.h"

namespace fedra::verdict {

// What nodes have too little of for a pod.
struct ResourceShortage {
  std::string resource;  // "cpu"; "pods": the nodes take no more of them
  Quantity asked;        // by one pod
  Quantity free;         // the most that is free on one of these nodes
  Quantity largest;      // the most that one of these nodes has in all
  int nodes = 0;         // that lack it

  bool operator==(const ResourceShortage&) const = default;
};

// Nodes without room for the pods.
struct NodeRoom {
  enum class Cause {
    kTooSmall,     // even one with nothing else on it
    kTooSmallAll,  // all together, with nothing else on them
    kBusy,         // now
  };

  Cause cause = Cause::kBusy;
  std::vector<ResourceShortage> resources;
  // Of the nodes that could take the pod otherwise; else of all.
  bool have_devices = false;
  int nodes = 0;  // of kBusy: without room
  int of = 0;     // nodes, in all
  // Of kTooSmallAll: pods.
  int fitting = 0;
  int wanted = 0;

  bool operator==(const NodeRoom&) const = default;
};

// A resource that no node has.
struct NoSuchResource {
  enum class Source {
    kNodes,     // only nodes could have it
    kNoClass,   // no DeviceClass provides it either
    kImplicit,  // there is no DeviceClass of that name
    kRelease,   // the worker's release takes no such resources from DeviceClasses
  };

  ResourceShortage resource;
  Source source = Source::kNodes;
  std::string device_class =
      {};                  // that the release does not take it from; kImplicit: that is not there
  std::string meant = {};  // a similar name that is there; may be empty

  bool operator==(const NoSuchResource&) const = default;
};

// Why a node does not take the pod, whatever runs there.
struct NodeRefusal {
  enum class Why {
    kAffinity,
    kSelector,
    kClaim,  // that is allocated elsewhere, or could not be bound
    kTaint,
    kAffinityError,  // it cannot be evaluated
    kUnschedulable,
    // What the chosen devices take of the node itself (KEP-5517):
    kUnusedClaim,   // no container uses the claim
    kPodRequest,    // the pod's own request for the resource does not cover it
    kClaimOfOther,  // another pod holds resources of the node through the claim
  };

  Why why = Why::kUnschedulable;
  // Of kSelector: "pool=a"; of kClaim and kClaimOfOther: "ResourceClaim ml/shared"; of kTaint:
  // "gpu=true:NoSchedule"; of kUnusedClaim: "claim gpu (template one-gpu)"; of kPodRequest: "cpu".
  std::string detail = {};
  std::string error = {};  // quoted; of kClaim: why it was not bound, empty when it is elsewhere

  bool operator==(const NodeRefusal&) const = default;
  auto operator<=>(const NodeRefusal&) const = default;
};

// Why nodes are out, whatever runs there.
struct NodeCounts {
  struct Refused {
    NodeRefusal refusal;
    int nodes = 0;

    bool operator==(const Refused&) const = default;
  };

  int nodes = 0;                   // in all
  bool with_devices = false;       // the refused have devices for the pod; others may have none
  std::vector<Refused> refused;    // ascending by refusal
  std::vector<std::string> first;  // a few names, ascending

  bool operator==(const NodeCounts&) const = default;
};

struct PodsFit {
  int fitting = 0;
  int wanted = 0;
  bool others_untried = false;

  bool operator==(const PodsFit&) const = default;
};

// Pods of earlier pod sets take the nodes that those of a later one need.
struct EarlierPods {
  // Only on some of the nodes that kube-scheduler scores alike; else on those that it scores best.
  bool by_chance = false;
  std::vector<std::string> earlier;  // pod sets, in order; never empty
  std::vector<std::string> nodes;    // a few that their pods take then, ascending
  int more_nodes = 0;                // that they take
  std::string pod_set = {};          // the later one
  int fitting = 0;                   // of its pods, then
  int wanted = 0;

  bool operator==(const EarlierPods&) const = default;
};

// A claim that has as many consumers as can be recorded.
struct FullClaim {
  std::string claim;  // "ResourceClaim ml/shared"
  size_t most = 0;
  size_t before = 0;  // consumers of other jobs
  size_t placed = 0;  // pods of this job that found room

  bool operator==(const FullClaim&) const = default;
};

// Pods fit and cannot be bound: to a claim without allocationTimestamp, or to nodes that have their
// extended resources from a device plugin.
struct Unbindable {
  std::string claim = {};  // "ResourceClaim ml/shared"; empty: it is about nodes
  int nodes = 0;
  int of = 0;

  bool operator==(const Unbindable&) const = default;
};

// The scheduler's attempt ends with an error.
struct SchedulerError {
  std::string node;  // empty: on every node
  std::string error;
  int pods = 0;  // that must be there before; 0: at once
  std::string pod_set = {};
  bool by_chance = false;  // it depends on the nodes that it prefers

  bool operator==(const SchedulerError&) const = default;
};

// A search that takes too long, here or for kube-scheduler.
struct SearchLimit {
  enum class Kind {
    kSpent,        // the steps of the judgement
    kSharedClaim,  // likewise, before every node was tried for a claim that pods share
    kOneNode,      // the pods fit; whether another node would do was not found out
    kSlow,         // kube-scheduler's own limit of time, which ends the attempt
    kSlowNode,     // likewise, up to 1.35: it leaves the node out, on which the pods would fit
  };

  Kind kind = Kind::kSpent;
  std::string where = {};  // a node, or the claim; may be empty
  uint64_t steps = 0;
  uint64_t most = 0;
  int fitting = 0;
  int wanted = 0;

  bool operator==(const SearchLimit&) const = default;
};

// Nodes that could be added and would help.
struct NewNodes {
  int64_t nodes = 0;
  std::map<std::string, int64_t> devices;     // of one node, by class
  std::map<std::string, std::string> labels;  // of one node

  bool operator==(const NewNodes&) const = default;
};

}  // namespace fedra::verdict
