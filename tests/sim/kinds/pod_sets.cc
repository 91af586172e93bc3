#include "tests/sim/kinds/pod_sets.h"

namespace fedra::sim {

Json PodSetsOf(const Store& store, const Registry& registry, const JobKind& kind, const Json& job) {
  if (!kind.names) return kind.pod_sets(job);
  const Named named = kind.names(job);
  const ResourceType* type = registry.Find(named.group, named.version, named.plural);
  const Object* object =
      type == nullptr ? nullptr : store.Find(*type, ObjectKey{named.ns, named.name});
  if (object == nullptr) return Json::array();
  Json complete = job;
  complete[kNamed] = object->body;
  return kind.pod_sets(complete);
}

}  // namespace fedra::sim
