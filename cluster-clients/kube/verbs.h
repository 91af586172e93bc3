#pragma once
//
// The requests of the Kubernetes API as values: method, path, query, body. Pure.

#include <string>
#include <string_view>

#include "cluster-clients/http/message.h"
#include "cluster-clients/kube/resource.h"

namespace fedra::kube {

// A request and what may be done with it when it fails.
struct Verb {
  http::Request request;
  bool idempotent = false;    // doing it twice has the effect of doing it once
  bool answers_text = false;  // and no object
};

// The options that several verbs share.
struct WriteQuery {
  std::string field_manager;
  bool force = false;
  bool dry_run = false;
};

Verb Get(const Resource& resource, const ObjectKey& key);
// `subresource`: with the name of the object that has it ("fedra/token"); empty: a new object.
Verb Create(const Resource& resource, std::string_view ns, std::string_view subresource,
            std::string body, const WriteQuery& query);
Verb MergePatch(const Resource& resource, const ObjectKey& key, std::string_view subresource,
                std::string body, const WriteQuery& query);
Verb Apply(const Resource& resource, const ObjectKey& key, std::string_view subresource,
           std::string body, const WriteQuery& query);
// PUT of the whole object. With metadata.resourceVersion in it, only if it is still as of then
// (409).
Verb Replace(const Resource& resource, const ObjectKey& key, std::string body,
             const WriteQuery& query);
// With what it owns (propagationPolicy Background). `uid` and `version`: preconditions when not
// empty.
Verb Delete(const Resource& resource, const ObjectKey& key, const std::string& uid,
            const ResourceVersion& version);
// May the caller do `verb` on `resource`? A SelfSubjectAccessReview.
Verb AccessReview(std::string_view verb, const Resource& resource, std::string_view ns,
                  std::string_view subresource, std::string_view name = {});
// A question of a kind that no server keeps: TokenReview, SubjectAccessReview.
Verb Review(const Resource& resource, std::string body);

// The last lines that a container of a pod has printed, of those the first `bytes`.
Verb PodLog(const ObjectKey& pod, std::string_view container, int lines, size_t bytes);
// The last lines, and then what it prints until it ends.
http::Request FollowPodLog(const ObjectKey& pod, std::string_view container, int lines);

// Which objects of a resource. Lifetime: for the length of a call.
struct Selection {
  std::string_view ns = {};      // of this namespace; empty: of all
  std::string_view labels = {};  // that this label selector selects; empty: all
};

// One page of the objects. `limit` 0: everything at once.
http::Request ListPage(const Resource& resource, const Selection& selection, size_t limit,
                       std::string_view continue_token);
http::Request OpenWatch(const Resource& resource, const Selection& selection,
                        const ResourceVersion& from, std::chrono::seconds timeout);

}  // namespace fedra::kube
