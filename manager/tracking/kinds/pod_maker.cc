#include "manager/tracking/kinds/pod_maker.h"

#include <array>
#include <memory>
#include <utility>

#include <nlohmann/json.hpp>

#include "manager/tracking/json_fields.h"
#include "manager/tracking/kinds/kind_row.h"
#include "manager/tracking/kinds/row_adapter.h"
#include "manager/tracking/kueue_api.h"

namespace fedra::tracking {
namespace {

std::unique_ptr<const JobAdapter> MakePodMaker(const char* plural, const char* kind) {
  KindRow row{.resource = {"apps", "v1", plural, kind},
              .managed_by = {},
              .holds_check = true,
              .suspend = {.path = {}},
              .pod_sets = {{.at = "spec", .pod_template = "template", .name = "main"}}};
  return MakeRowAdapter(std::move(row));
}

}  // namespace

const JobAdapter* FindPodMaker(std::string_view api_version, std::string_view kind) {
  static const std::array makers = {MakePodMaker("deployments", "Deployment"),
                                    MakePodMaker("replicasets", "ReplicaSet")};
  for (const auto& maker : makers)
    if (maker->resource().ApiVersion() == api_version && maker->resource().kind == kind)
      return maker.get();
  return nullptr;
}

std::string QueueOfPods(const nlohmann::json& maker) {
  const auto label = [](const nlohmann::json& object) {
    return Text(Member(Member(object, "metadata"), "labels"), kQueueNameLabel);
  };
  const std::string own = Text(maker, "kind") == "Deployment" ? label(maker) : std::string();
  return own.empty() ? label(Member(Member(maker, "spec"), "template")) : own;
}

}  // namespace fedra::tracking
