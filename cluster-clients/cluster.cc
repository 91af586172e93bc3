#include "cluster-clients/cluster.h"

#include <utility>

#include <fmt/format.h>

#include "cluster-clients/cluster_impl.h"
#include "cluster-clients/kube/json_text.h"
#include "cluster-clients/kube/verbs.h"

namespace fedra {
namespace {

// "jobs/status ml/train", for messages.
std::string What(std::string_view verb, const kube::Resource& resource,
                 const std::string& subresource, const ObjectKey& key) {
  return fmt::format("{} {}{}{} {}", verb, resource.plural, subresource.empty() ? "" : "/",
                     subresource, key.ToString());
}

kube::WriteQuery QueryOf(const WriteOptions& options) {
  return {options.field_manager, options.force, options.dry_run};
}

}  // namespace

Cluster::Cluster(ClusterName name, kube::AccessSettings access, ClusterOptions options,
                 http::HttpLoop& loop, WorkerPool& workers, const Clock& clock, OnState on_state,
                 OnServer on_server)
    : impl_(std::make_shared<Impl>(std::move(name), std::move(access), std::move(options), loop,
                                   workers, clock, std::move(on_state), std::move(on_server))) {}

Cluster::~Cluster() { Stop(); }

const ClusterName& Cluster::name() const { return impl_->name; }
void Cluster::Start() { impl_->monitor->Start(); }
void Cluster::Stop() { impl_->Stop(); }
void Cluster::UpdateAccess(const kube::AccessSettings& access) { impl_->UpdateAccess(access); }
std::weak_ptr<const void> Cluster::Relist(const Choice& which) { return impl_->Relist(which); }
void Cluster::SetMisconfigured(Error why) { impl_->monitor->SetMisconfigured(std::move(why)); }
ConnectionState Cluster::state() const { return impl_->monitor->state(); }
std::shared_ptr<const kube::ServerInfo> Cluster::server() const { return impl_->monitor->server(); }

Result<std::string> Cluster::Get(const kube::Resource& resource, const ObjectKey& key) {
  return impl_->client.Call(kube::Get(resource, key), What("get", resource, {}, key));
}

Result<std::string> Cluster::Create(const kube::Resource& resource, const std::string& ns,
                                    std::string body, const WriteOptions& options) {
  const auto metadata = kube::FindMember(body, "metadata");
  const ObjectKey key{ns, metadata ? kube::FindString(*metadata, "name").value_or("") : ""};
  const std::string what = What("create", resource, options.subresource, key);
  return impl_->client.Call(
      kube::Create(resource, ns, options.subresource, std::move(body), QueryOf(options)), what);
}

Result<std::string> Cluster::MergePatch(const kube::Resource& resource, const ObjectKey& key,
                                        std::string body, const WriteOptions& options) {
  return impl_->client.Call(
      kube::MergePatch(resource, key, options.subresource, std::move(body), QueryOf(options)),
      What("patch", resource, options.subresource, key));
}

Result<std::string> Cluster::Apply(const kube::Resource& resource, const ObjectKey& key,
                                   std::string body, const WriteOptions& options) {
  return impl_->client.Call(
      kube::Apply(resource, key, options.subresource, std::move(body), QueryOf(options)),
      What("apply", resource, options.subresource, key));
}

Result<void> Cluster::Delete(const kube::Resource& resource, const ObjectKey& key,
                             const DeleteOptions& options) {
  FEDRA_RETURN_IF_ERROR(
      impl_->client.Call(kube::Delete(resource, key, options.uid, options.version),
                         What("delete", resource, {}, key)));
  return {};
}

Result<std::string> Cluster::PodLog(const ObjectKey& pod, const std::string& container, int lines,
                                    size_t bytes) {
  FEDRA_ASSIGN_OR_RETURN(std::string text,
                         impl_->client.Call(kube::PodLog(pod, container, lines, bytes),
                                            "log of pod " + pod.ToString()));
  if (text.size() > bytes) text.resize(bytes);  // whatever the server thinks of limitBytes
  return text;
}

Result<bool> Cluster::MayI(std::string_view verb, const kube::Resource& resource,
                           const std::string& ns, const std::string& subresource,
                           const std::string& object) {
  FEDRA_ASSIGN_OR_RETURN(
      const std::string review,
      impl_->client.Call(kube::AccessReview(verb, resource, ns, subresource, object),
                         fmt::format("access review {} {}", verb, resource.plural)));
  const auto status = kube::FindMember(review, "status");
  const auto allowed = status ? kube::FindMember(*status, "allowed") : std::nullopt;
  if (!allowed || (*allowed != "true" && *allowed != "false")) {
    return Fail(ErrorCode::kBadResponse,
                fmt::format("{}: the access review has no answer", name().value));
  }
  return *allowed == "true";
}

Result<std::string> Cluster::Review(const kube::Resource& resource, std::string body) {
  return impl_->client.Call(kube::Review(resource, std::move(body)), "create " + resource.plural);
}

void Cluster::Watch(WatchSpec spec, watch::CacheSink& sink) { impl_->Watch(std::move(spec), sink); }

}  // namespace fedra
