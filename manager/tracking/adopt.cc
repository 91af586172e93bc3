#include "manager/tracking/adopt.h"

#include <nlohmann/json.hpp>

#include "manager/tracking/json_fields.h"
#include "manager/tracking/kueue_api.h"

namespace fedra::tracking {

using nlohmann::json;

std::string OwnerPatch(const Workload& clone, const Job& copy) {
  const kube::Resource& resource = copy.kind->resource();
  const json owner{{"apiVersion", resource.ApiVersion()},
                   {"kind", resource.kind},
                   {"name", copy.key.name},
                   {"uid", copy.uid},
                   {"controller", true}};
  return Dump(json{{"metadata",
                    {{"uid", clone.uid},
                     {"resourceVersion", clone.version.value},
                     {"labels", {{std::string(kJobUidLabel), copy.uid}}},
                     {"ownerReferences", json::array({owner})}}}});
}

std::string QueuePatch(const Job& copy, const std::string& local_queue) {
  return Dump(json{{"metadata",
                    {{"uid", copy.uid},
                     {"resourceVersion", copy.version.value},
                     {"labels", {{std::string(kQueueNameLabel), local_queue}}}}}});
}

}  // namespace fedra::tracking
