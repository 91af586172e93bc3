#include "manager/tracking/multi_kueue_cluster.h"

#include <nlohmann/json.hpp>

#include "manager/tracking/json_fields.h"

namespace fedra::tracking {

using nlohmann::json;
using Source = MultiKueueCluster::Source;

Result<MultiKueueCluster> ParseMultiKueueCluster(const json& object) {
  const json& metadata = Member(object, "metadata");
  MultiKueueCluster cluster;
  cluster.name = Text(metadata, "name");
  if (cluster.name.empty())
    return Fail(ErrorCode::kBadResponse, "a MultiKueueCluster without name");
  FEDRA_ASSIGN_OR_RETURN(cluster.active, ReadActive(object));
  cluster.created = Time(metadata, "creationTimestamp");
  const json& source = Path(object, {"spec", "clusterSource"});
  if (const json& profile = Member(source, "clusterProfileRef"); profile.is_object()) {
    cluster.source = Source::kClusterProfile;
    cluster.location = Text(profile, "name");
    return cluster;
  }
  const json& kubeconfig = Member(source, "kubeConfig");
  const std::string type = Text(kubeconfig, "locationType");
  if (type == "Path") cluster.source = Source::kPath;
  // The server's default.
  if (kubeconfig.is_object() && (type.empty() || type == "Secret"))
    cluster.source = Source::kSecret;
  cluster.location = Text(kubeconfig, "location");
  return cluster;
}

}  // namespace fedra::tracking
