#pragma once
//
// One kind of job as data: everything fedra must know of a kind whose controller and whose Kueue
// integration behave as most do. What such kinds have in common is row_adapter.cc; a kind that
// does something of its own gets a file of its own, as batch_job.cc.
//
// Facts: pkg/controller/jobs of Kueue 0.19.2, and the CRDs of the versions that builtin_rows.cc
// names.
//
// Thread rules: plain values.

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/field_path.h"
#include "base/field_rules.h"
#include "cluster-clients/kube/resource.h"
#include "manager/tracking/job.h"
#include "manager/tracking/pod_label.h"

namespace fedra::tracking {

struct PodTemplate;

// Pod sets in the order in which Kueue's integration makes them.
struct PodSetRule {
  FieldPath at;                         // a pod set for each value here
  FieldPath pod_template;               // below `at`: the PodTemplateSpec
  std::string name = {};                // Kueue's name of the pod set; empty: what `name_at` says
  FieldPath name_at = {};               // below `at`; Kueue writes it in lower case
  std::vector<CountFactor> count = {};  // paths below `at`; the product; none: 1
  bool operator==(const PodSetRule&) const = default;
};

// A job is started by writing one value, and stopped by writing another.
struct SuspendRule {
  FieldPath path = "spec.suspend";
  std::string suspended = "true";  // as JSON text
  bool operator==(const SuspendRule&) const = default;
};

// Another object that jobs of the kind name, and without which their operator does not know what to
// run: it must be on the worker, and be there what it is on the manager. Of its spec all counts.
struct ReferenceRule {
  kube::Resource resource;  // no other kind names objects of it
  FieldPath name;           // in the job; in its own namespace, or in none
  AllOf when = {};          // the job must say
  bool operator==(const ReferenceRule&) const = default;
};

// What of a worker's status is written on the manager.
enum class Mirror {
  kWhole,
  kEnd,   // its end alone: until then a controller on the manager writes a status of its own
  kNone,  // nothing: that controller writes one all the time
};

// Of a kind whose status stays where it is: what of a copy's is shown to people all the same.
struct ReadinessRule {
  FieldPath ready;   // replicas; absent: 0
  FieldPath wanted;  // absent: 1
  bool operator==(const ReadinessRule&) const = default;
};

// An end that the kind's controller on the manager does not leave in the status of a job that is
// suspended there, and what is written in its place.
struct RestatedEnd {
  FieldTest when;      // of the worker's job
  std::string status;  // a merge patch of its status
  bool operator==(const RestatedEnd&) const = default;
};

// Where the size of an elastic job is: of each element that has a name in both objects. Without
// fields its copy keeps the size that it was made with.
struct ScaleRule {
  FieldPath each;  // of a list
  std::string name;
  std::vector<std::string> fields;
  bool operator==(const ScaleRule&) const = default;
};

// A job that says this is never dispatched, and why.
struct NeverRule {
  FieldTest when;
  std::string why;
  bool operator==(const NeverRule&) const = default;
};

struct KindRow {
  kube::Resource resource;
  FieldPath managed_by = "spec.managedBy";  // empty: it has no such field
  std::string own_controller = {};          // as of JobAdapter
  // Its controller does not look at that field: what keeps it from running on the manager is that
  // it stays suspended there (JobAdapter::HoldsCheck).
  bool holds_check = false;
  SuspendRule suspend = {};  // without a path: its pods are gated
  // Only those in a queue are read on the manager, and on a worker only copies: other objects of
  // the resource are no jobs.
  bool only_queued = false;
  std::vector<PodSetRule> pod_sets = {};
  // Code in place of `pod_sets` where each job says itself where its pod templates are, or where
  // they are made of its fields. With both, `pod_sets` are those that stand in the job.
  std::vector<PodTemplate> (*pod_templates)(const nlohmann::json& object) = nullptr;
  // The same pods as Kueue counts them, where it leaves out what `pod_templates` knows of them.
  std::vector<PodTemplate> (*counted_pods)(const nlohmann::json& object) = nullptr;
  // How many replicas it has, 1 where it does not say: Kueue makes a Workload of each, and the copy
  // follows the number. Empty: it has one Workload.
  FieldPath parts = {};
  // What a copy follows besides, as plain paths: a change of the job is written there, too.
  std::vector<FieldPath> followed = {};
  // The same of elastic jobs, together with their Workload (../elastic.h); nothing: Kueue takes
  // none of the kind for elastic.
  std::optional<ScaleRule> scaled = {};
  std::vector<NeverRule> never = {};
  // Its Workload shows no claims, volumes and service accounts of its pods: what they ask for is
  // read from the job.
  bool hides_pods = false;
  Adoption adoption = Adoption::kPrebuilt;
  Mirror mirror = Mirror::kWhole;
  std::optional<ReadinessRule> readiness = {};
  // How the job ended. Kueue reads the same of it, and finishes the Workload, or never runs it
  // again.
  AnyOf succeeded = {};
  AnyOf failed = {};
  std::optional<RestatedEnd> restated_end = {};
  // Of a copy that its worker's Kueue has stopped in a way that ends it: that is not how the job
  // ended (Job::stopped).
  AnyOf stopped = {};
  // While any of these holds Kueue takes the job for active, and an evicted one keeps its quota.
  std::vector<FieldTest> active = {};
  // What takes that out of the status: a merge patch of the status, and conditions that are set to
  // False.
  std::string cleared_status = "{}";
  std::vector<std::string> cleared_conditions = {};
  // What the CRD wants in every status and no rule looks at: it is mirrored of a status that is too
  // large, too.
  std::vector<std::string> required_status = {};
  // Not copied to a worker, beside managedBy: above all whatever would delete the job there before
  // its end has been mirrored.
  std::vector<FieldPath> stripped = {};
  std::vector<std::string> stripped_annotations = {};
  PodLabel pod_label = {};
  // A kind whose operator makes another kind's job, of the same name: its pods are recognized by
  // that one's label. JobAdapter::name() of that kind; empty: by its own label, if by any.
  std::string pods_of = {};
  std::vector<ReferenceRule> references = {};
  // Where what a job names describes its pods: they, by the spec of that object, which is changed
  // to what the job makes of it; they point into it.
  std::vector<PodTemplate> (*referenced_pods)(const nlohmann::json& job,
                                              nlohmann::json& spec) = nullptr;
  // For people, in docs/kinds.md: since when the controller leaves jobs with another managedBy
  // alone; with `holds_check`: which one does not.
  std::string honoured_since = {};
  bool operator==(const KindRow&) const = default;
};

// The kinds that need no configuration, in a fixed order.
const std::vector<KindRow>& BuiltInRows();
// apps/v1 StatefulSet, for where pods are run: its Workload is that of a group of them.
KindRow StatefulSetRow();
// LeaderWorkerSet, likewise; it has such a Workload for each of its replicas.
KindRow LeaderWorkerSetRow();

}  // namespace fedra::tracking
