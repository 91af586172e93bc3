#include "cluster-clients/kube/verbs.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "cluster-clients/kube/url.h"

namespace fedra::kube {
namespace {

Query QueryOf(const WriteQuery& options) {
  Query query;
  query.Add("fieldManager", options.field_manager);
  if (options.force) query.Add("force", "true");
  if (options.dry_run) query.Add("dryRun", "All");
  return query;
}

// Text that is no UTF-8 is replaced; dump() would throw.
std::string Dump(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Verb WithBody(std::string method, std::string path, std::string content_type, std::string body) {
  Verb verb;
  verb.request.method = std::move(method);
  verb.request.path = std::move(path);
  verb.request.content_type = std::move(content_type);
  verb.request.body = std::move(body);
  return verb;
}

}  // namespace

Verb Get(const Resource& resource, const ObjectKey& key) {
  Verb verb;
  verb.request.path = resource.ObjectPath(key);
  verb.idempotent = true;
  return verb;
}

Verb Create(const Resource& resource, std::string_view ns, std::string_view subresource,
            std::string body, const WriteQuery& query) {
  const size_t slash = subresource.find('/');
  const std::string path =
      slash == std::string_view::npos
          ? resource.CollectionPath(ns)
          : resource.ObjectPath({std::string(ns), std::string(subresource.substr(0, slash))},
                                subresource.substr(slash + 1));
  return WithBody("POST", path + QueryOf(query).text(), "application/json", std::move(body));
}

Verb MergePatch(const Resource& resource, const ObjectKey& key, std::string_view subresource,
                std::string body, const WriteQuery& query) {
  Verb verb = WithBody("PATCH", resource.ObjectPath(key, subresource) + QueryOf(query).text(),
                       "application/merge-patch+json", std::move(body));
  verb.idempotent = true;
  return verb;
}

Verb Apply(const Resource& resource, const ObjectKey& key, std::string_view subresource,
           std::string body, const WriteQuery& query) {
  // The type says YAML; JSON is YAML.
  Verb verb = WithBody("PATCH", resource.ObjectPath(key, subresource) + QueryOf(query).text(),
                       "application/apply-patch+yaml", std::move(body));
  verb.idempotent = true;
  return verb;
}

Verb Replace(const Resource& resource, const ObjectKey& key, std::string body,
             const WriteQuery& query) {
  return WithBody("PUT", resource.ObjectPath(key) + QueryOf(query).text(), "application/json",
                  std::move(body));
}

Verb Delete(const Resource& resource, const ObjectKey& key, const std::string& uid,
            const ResourceVersion& version) {
  nlohmann::json options = {
      {"kind", "DeleteOptions"}, {"apiVersion", "v1"}, {"propagationPolicy", "Background"}};
  if (!uid.empty()) options["preconditions"]["uid"] = uid;
  if (!version.empty()) options["preconditions"]["resourceVersion"] = version.value;
  Verb verb = WithBody("DELETE", resource.ObjectPath(key), "application/json", Dump(options));
  verb.idempotent = true;  // the second one finds nothing
  return verb;
}

Verb AccessReview(std::string_view verb, const Resource& resource, std::string_view ns,
                  std::string_view subresource, std::string_view name) {
  nlohmann::json attributes = {
      {"verb", verb}, {"group", resource.group}, {"resource", resource.plural}};
  if (!resource.version.empty()) attributes["version"] = resource.version;
  if (!ns.empty()) attributes["namespace"] = ns;
  if (!subresource.empty()) attributes["subresource"] = subresource;
  if (!name.empty()) attributes["name"] = name;
  const nlohmann::json review = {{"apiVersion", "authorization.k8s.io/v1"},
                                 {"kind", "SelfSubjectAccessReview"},
                                 {"spec", {{"resourceAttributes", attributes}}}};
  return Review(
      {"authorization.k8s.io", "v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview", false},
      Dump(review));
}

Verb Review(const Resource& resource, std::string body) {
  Verb call = WithBody("POST", resource.CollectionPath(""), "application/json", std::move(body));
  call.idempotent = true;
  call.request.stores_nothing = true;
  return call;
}

Verb PodLog(const ObjectKey& pod, std::string_view container, int lines, size_t bytes) {
  const Resource pods{"", "v1", "pods", "Pod", true};
  Query query;
  query.Add("container", container);
  query.Add("tailLines", std::to_string(lines));
  query.Add("limitBytes", std::to_string(bytes));
  Verb verb;
  verb.request.path = pods.ObjectPath(pod, "log") + query.text();
  verb.idempotent = true;
  verb.answers_text = true;
  return verb;
}

http::Request FollowPodLog(const ObjectKey& pod, std::string_view container, int lines) {
  const Resource pods{"", "v1", "pods", "Pod", true};
  Query query;
  query.Add("container", container);
  query.Add("tailLines", std::to_string(lines));
  query.Add("follow", "true");
  http::Request request;
  request.path = pods.ObjectPath(pod, "log") + query.text();
  return request;
}

http::Request ListPage(const Resource& resource, const Selection& selection, size_t limit,
                       std::string_view continue_token) {
  Query query;
  query.Add("labelSelector", selection.labels);
  if (limit > 0) query.Add("limit", std::to_string(limit));
  query.Add("continue", continue_token);
  http::Request request;
  request.path = resource.CollectionPath(selection.ns) + query.text();
  return request;
}

http::Request OpenWatch(const Resource& resource, const Selection& selection,
                        const ResourceVersion& from, std::chrono::seconds timeout) {
  Query query;
  query.Add("watch", "true")
      .Add("labelSelector", selection.labels)
      .Add("allowWatchBookmarks", "true")
      .Add("resourceVersion", from.value)
      .Add("timeoutSeconds", std::to_string(timeout.count()));
  http::Request request;
  request.path = resource.CollectionPath(selection.ns) + query.text();
  return request;
}

}  // namespace fedra::kube
