// The keys below `kinds`: a kind of job as data, the columns of manager/tracking/kinds/kind_row.h.

#include "config/schema_kinds.h"

namespace fedra::config {
namespace {

Fields DescribePodSet(PodSetSettings& pods) {
  return {
      {"at", "Path of the part of the job that makes a pod set; with [*] one for each of a list.",
       TextRef{&pods.at, TextRule::kFieldPath}, "spec.roles[*]", true},
      {"template", "Below it, the pod template (metadata and spec); without it, the part itself.",
       TextRef{&pods.pod_template, TextRule::kFieldPath}, "template"},
      {"name", "Name of the pod set in Kueue's Workload.", TextRef{&pods.name, TextRule::kDnsLabel},
       "worker"},
      {"nameFrom", "Or the field below `at` that has the name.",
       TextRef{&pods.name_at, TextRule::kFieldPath}, "name"},
      {"count",
       "How many pods: fields below `at`, multiplied with \" x \", the least of some with min(a, "
       "b). An absent one counts as 1, with ?0 as 0, with ? not at all (between braces YAML wants "
       "quotes around these). Without it, 1 pod.",
       TextRef{&pods.count, TextRule::kPodCount}, "replicas"},
  };
}

}  // namespace

Fields DescribeKind(KindSettings& kind) {
  return {
      {"apiVersion", "Group and version of the kind.",
       TextRef{&kind.api_version, TextRule::kGroupVersion}, "example.com/v1", true},
      {"kind",
       "Its name, as in manifests. A JobSet, MPIJob, TFJob, PyTorchJob, XGBoostJob or "
       "PaddleJob takes the place of the built-in kind; the others cannot be described here.",
       TextRef{&kind.kind, TextRule::kKind}, "TrainingRun", true},
      {"plural", "The resource, as in URLs.", TextRef{&kind.plural, TextRule::kDnsLabel},
       "trainingruns", true},
      {"managedBy", "Path of the field that says who runs the job.",
       TextRef{&kind.managed_by, TextRule::kPlainFieldPath}, ""},
      {"suspend", "Path of the field that keeps a job from starting.",
       TextRef{&kind.suspend, TextRule::kPlainFieldPath}, ""},
      {"suspended",
       "What is there in a suspended job: \"true\" for the flag, or the text of a field of "
       "text.",
       TextRef{&kind.suspended, TextRule::kAny}, ""},
      {"podSets",
       "Where its pod templates are, in the order of the pod sets of its Workload. Without them "
       "`fedra check` sees no pods of such jobs.",
       ListRef{kind.pod_sets.size(), [&kind](size_t size) { kind.pod_sets.resize(size); },
               [&kind](size_t index) { return DescribePodSet(kind.pod_sets.at(index)); }},
       "[{at: 'spec.roles[*]', template: template, nameFrom: name, count: replicas}]"},
      {"succeeded",
       "Tests of the job, one of which holds when it has succeeded: path=value|other, "
       "path!=value, path>0, several with \" and \". Kueue must see the same end.",
       TextsRef{&kind.succeeded, TextRule::kFieldTests},
       "[\"status.conditions[type=Succeeded].status=True\"]"},
      {"failed", "Likewise when it has failed.", TextsRef{&kind.failed, TextRule::kFieldTests},
       "[\"status.conditions[type=Succeeded].status=False\"]"},
      {"stopped",
       "Likewise of a copy that its worker's Kueue has stopped in a way that ends it: what it says "
       "then is not how the job ended. Without it Kueue suspends what it stops.",
       TextsRef{&kind.stopped, TextRule::kFieldTests}, "[\"spec.status=StoppedRunFinally\"]"},
      {"active",
       "Tests, any of which means that pods run: Kueue keeps an evicted job's quota while one "
       "holds.",
       TextsRef{&kind.active, TextRule::kFieldTest}, "[\"status.active>0\"]"},
      {"cleared", "Merge patch of the status that makes all of `active` untrue.",
       JsonRef{&kind.cleared}, "{active: 0}"},
      {"clearedConditions", "Types of conditions that become False with it.",
       TextsRef{&kind.cleared_conditions, TextRule::kConditionType}, "[Running]"},
      {"stripped",
       "Paths that are not copied to a worker: above all what would delete the job there before "
       "its end has been mirrored.",
       TextsRef{&kind.stripped, TextRule::kFieldPath}, "[spec.ttlSecondsAfterFinished]"},
      {"podLabel", "Label of its pods whose value is the job's name.",
       TextRef{&kind.pod_label, TextRule::kQualifiedName}, "example.com/run"},
      {"operator", "For people: who runs such jobs, and the version that honours managedBy.",
       TextRef{&kind.operator_name, TextRule::kAny}, "run-operator 1.2"},
  };
}

}  // namespace fedra::config
