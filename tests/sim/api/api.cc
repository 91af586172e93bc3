#include "tests/sim/api/api.h"

#include <fmt/format.h>

#include <charconv>

#include "tests/sim/api/access_review.h"
#include "tests/sim/api/discovery.h"
#include "tests/sim/api/subject_review.h"
#include "tests/sim/api/token_request.h"
#include "tests/sim/api/url.h"

namespace fedra::sim {
namespace {

constexpr std::string_view kMergePatch = "application/merge-patch+json";
constexpr std::string_view kStrategicPatch = "application/strategic-merge-patch+json";
constexpr std::string_view kJsonPatch = "application/json-patch+json";
constexpr std::string_view kApplyPatch = "application/apply-patch+yaml";

// A request whose resource is known and whose user may do it.
struct Call {
  Core& core;
  const ApiRequest& request;
  const Url& url;
  const ResourcePath& path;
  View view;

  const ResourceType& type() const { return view.type->Stored(); }
};

ApiReply JsonReply(int code, std::string body) {
  ApiReply reply;
  reply.code = code;
  reply.body = std::move(body);
  return reply;
}

ApiReply TextReply(int code, std::string text) {
  ApiReply reply;
  reply.code = code;
  reply.content_type = "text/plain; charset=utf-8";
  reply.body = std::move(text);
  return reply;
}

// What a real server says to a path that nothing is registered for.
ApiReply UnknownPath() { return TextReply(404, "404 page not found\n"); }

// A built-in group knows that it does not have the resource; a group of CRDs does not even answer.
ApiReply UnknownResource(const Registry& registry, const ResourcePath& path) {
  for (const ResourceType& type : registry.types()) {
    if (type.group == path.group && type.Serves(path.version) && !type.custom) {
      return ToReply(NotServed());
    }
  }
  return UnknownPath();
}

std::string_view MediaType(std::string_view content_type) {
  return content_type.substr(0, content_type.find(';'));
}

std::string FieldManager(const Call& call) {
  std::string named = call.url.Query("fieldManager");
  if (!named.empty()) return named;
  return call.request.user_agent.substr(0, call.request.user_agent.find('/'));
}

size_t Number(const std::string& text) {
  size_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// "get", "list", ...: the verb of RBAC.
std::string_view VerbOf(const ApiRequest& request, const Url& url, const ResourcePath& path) {
  if (request.method == "GET") {
    if (!path.name.empty() && !url.Flag("watch")) return "get";
    return url.Flag("watch") ? "watch" : "list";
  }
  if (request.method == "POST") return "create";
  if (request.method == "PUT") return "update";
  if (request.method == "PATCH") return "patch";
  if (request.method == "DELETE") return path.name.empty() ? "deletecollection" : "delete";
  return "";
}

std::string ObjectBody(const Call& call, const Text& text) {
  return call.view.Converts() ? ObjectFromStored(call.view, *text) : *text;
}

ApiReply Answer(const Call& call, const Outcome<Written>& written) {
  if (!written) return ToReply(written.error());
  return JsonReply(written->created || call.request.method == "POST" ? 201 : 200,
                   ObjectBody(call, written->object));
}

Outcome<Filter> MakeFilter(const Call& call) {
  Filter filter;
  filter.type = &call.type();
  filter.ns = call.path.ns;
  auto labels = LabelSelector::Parse(call.url.Query("labelSelector"));
  if (!labels) return Refuse(labels.error());
  auto fields = FieldSelector::Parse(call.url.Query("fieldSelector"));
  if (!fields) return Refuse(fields.error());
  filter.labels = *std::move(labels);
  filter.fields = *std::move(fields);
  return filter;
}

ApiReply GetObject(const Call& call) {
  const Text text = call.core.store.With([&](const Store& store) {
    const Object* object = store.Find(call.type(), {call.path.ns, call.path.name});
    return object == nullptr ? nullptr : object->text;
  });
  if (text == nullptr) return ToReply(NotFound(*call.view.type, call.path.name));
  return JsonReply(200, ObjectBody(call, text));
}

ApiReply ListObjects(const Call& call, Filter filter) {
  const ListRequest request{
      .filter = std::move(filter),
      .limit = Number(call.url.Query("limit")),
      .continue_token = call.url.Query("continue"),
      .version = call.url.Query("resourceVersion"),
      .exact = call.url.Query("resourceVersionMatch") == "Exact",
      .expire_continue = call.core.faults.With([](const Faults& f) { return f.expire_continue; })};
  auto list = call.core.store.With([&](const Store& store) { return List(store, request); });
  if (!list) return ToReply(list.error());
  return JsonReply(200, call.view.Converts() ? ListFromStored(call.view, *list) : *std::move(list));
}

ApiReply WatchObjects(const Call& call, Filter filter) {
  WatchPlan plan{.view = call.view,
                 .filter = std::move(filter),
                 .version = call.url.Query("resourceVersion"),
                 .bookmarks = call.url.Flag("allowWatchBookmarks"),
                 .initial_events_end = call.url.Flag("sendInitialEvents"),
                 .timeout = std::nullopt};
  // "Not older than": what exists comes first, whatever version was asked for.
  if (plan.initial_events_end) plan.version.clear();
  const size_t timeout = Number(call.url.Query("timeoutSeconds"));
  if (timeout > 0) plan.timeout = std::chrono::seconds(timeout);
  ApiReply reply;
  reply.watch = std::move(plan);
  return reply;
}

ApiReply Read(const Call& call) {
  if (!call.path.name.empty() && !call.url.Flag("watch")) return GetObject(call);
  auto filter = MakeFilter(call);
  if (!filter) return ToReply(filter.error());
  return call.url.Flag("watch") ? WatchObjects(call, *std::move(filter))
                                : ListObjects(call, *std::move(filter));
}

Outcome<Written> Patch(const Call& call, const WriteRequest& write, Json body) {
  const std::string_view media = MediaType(call.request.content_type);
  if (media != kApplyPatch && media != kMergePatch && media != kJsonPatch &&
      (media != kStrategicPatch || call.type().custom)) {
    return Refuse(UnsupportedMedia(
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json-patch+json, application/merge-patch+json, "
        "application/apply-patch+yaml"));
  }
  if (media == kApplyPatch && call.url.Query("fieldManager").empty()) {
    return Refuse(Failure{.code = 422,
                          .reason = "Invalid",
                          .message = "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: "
                                     "Required value: is required for apply patch"});
  }
  const Verbs& verbs = call.core.verbs;
  return call.core.Write([&](Store& store) -> Outcome<Written> {
    if (media == kApplyPatch) return verbs.Apply(store, write, std::move(body));
    if (media == kJsonPatch) return verbs.JsonPatch(store, write, body);
    return verbs.MergePatch(store, write, body);
  });
}

ApiReply WriteObject(const Call& call) {
  auto body = ParseJson(call.request.body);
  if (!body) {
    return ToReply(BadRequest(
        "the object provided is unrecognized: couldn't get version/kind; json parse error"));
  }
  ToStored(call.view, *body);
  const WriteRequest write{.type = call.type(),
                           .key = {call.path.ns, call.path.name},
                           .subresource = call.path.subresource,
                           .manager = FieldManager(call),
                           .dry_run = call.url.Query("dryRun") == "All",
                           .force = call.url.Flag("force")};
  const Verbs& verbs = call.core.verbs;
  if (call.request.method == "PATCH") return Answer(call, Patch(call, write, *std::move(body)));
  return Answer(call, call.core.Write([&](Store& store) {
    return call.request.method == "POST" ? verbs.Create(store, write, *std::move(body))
                                         : verbs.Update(store, write, *std::move(body));
  }));
}

DeleteRequest MakeDelete(const Call& call) {
  const Json options = ParseJson(call.request.body).value_or(Json::object());
  DeleteRequest request{
      .type = call.type(),
      .key = {call.path.ns, call.path.name},
      .uid = std::string(StringAt(options, {"preconditions", "uid"})),
      .resource_version = std::string(StringAt(options, {"preconditions", "resourceVersion"})),
      .propagation = std::string(StringAt(options, {"propagationPolicy"})),
      .dry_run = call.url.Query("dryRun") == "All" || !ArrayAt(options, {"dryRun"}).empty()};
  if (request.propagation.empty()) request.propagation = call.url.Query("propagationPolicy");
  return request;
}

ApiReply DeleteObject(const Call& call) {
  const DeleteRequest request = MakeDelete(call);
  std::string uid;
  const auto left = call.core.Write([&](Store& store) {
    const Object* object = store.Find(request.type, request.key);
    if (object != nullptr) uid = StringAt(object->body, {"metadata", "uid"});
    return call.core.verbs.Delete(store, request);
  });
  if (!left) return ToReply(left.error());
  if (call.type().kind == "ServiceAccount") RevokeTokens(call.core, request.key);
  if (*left) return JsonReply(200, ObjectBody(call, **left));
  Json details = {{"name", call.path.name}, {"kind", call.path.plural}, {"uid", uid}};
  if (!call.path.group.empty()) details["group"] = call.path.group;
  return JsonReply(200, Serialize({{"kind", "Status"},
                                   {"apiVersion", "v1"},
                                   {"metadata", Json::object()},
                                   {"status", "Success"},
                                   {"details", details}}));
}

ApiReply DeleteObjects(const Call& call) {
  auto filter = MakeFilter(call);
  if (!filter) return ToReply(filter.error());
  const DeleteRequest options = MakeDelete(call);
  call.core.Write([&](Store& store) {
    std::vector<ObjectKey> keys;
    for (const auto& [key, object] : store.All(call.type())) {
      if (filter->Matches(key, *object.labels)) keys.push_back(key);
    }
    for (const ObjectKey& key : keys) {
      DeleteRequest request = options;
      request.key = key;
      (void)call.core.verbs.Delete(store, request);
    }
  });
  return ListObjects(call, *std::move(filter));
}

// Every container has printed a hundred numbered lines.
ApiReply PodLog(const Call& call) {
  const Json pod = ParseJson(GetObject(call).body).value_or(Json());
  if (StringAt(pod, {"kind"}) != "Pod") return GetObject(call);  // a Status: it is not there
  const std::string container = call.url.Query("container");
  const auto containers = ArrayAt(pod, {"spec", "containers"});
  if (std::none_of(containers.begin(), containers.end(),
                   [&](const Json& each) { return StringAt(each, {"name"}) == container; }))
    return ToReply(BadRequest("container " + container + " is not valid for this pod"));
  constexpr int kLines = 100;
  const std::string tail = call.url.Query("tailLines");
  const int lines = tail.empty() ? kLines : std::clamp(std::stoi(tail), 0, kLines);
  std::string text;
  for (int line = kLines - lines + 1; line <= kLines; ++line)
    text += fmt::format("line {} of {}\n", line, container);
  const std::string limit = call.url.Query("limitBytes");
  if (!limit.empty()) text.resize(std::min(text.size(), static_cast<size_t>(std::stoul(limit))));
  return TextReply(200, std::move(text));
}

ApiReply RequestToken(const Call& call) {
  auto body = ParseJson(call.request.body);
  if (!body) return ToReply(BadRequest("the object provided is unrecognized"));
  auto answer = AnswerTokenRequest(call.core, {call.path.ns, call.path.name}, *std::move(body));
  return answer ? JsonReply(201, Serialize(*answer)) : ToReply(answer.error());
}

ApiReply Dispatch(const Call& call) {
  const bool named = !call.path.name.empty();
  const std::string& method = call.request.method;
  const std::string& sub = call.path.subresource;
  if (sub == "log" && method == "GET" && call.type().kind == "Pod" && named) return PodLog(call);
  if (sub == "token" && method == "POST" && call.type().kind == "ServiceAccount" && named)
    return RequestToken(call);
  if (!sub.empty() && !(sub == "status" && call.view.type->has_status)) return UnknownPath();
  if (method == "GET") return Read(call);
  if (method == "POST" && !named) return WriteObject(call);
  if ((method == "PUT" || method == "PATCH") && named) return WriteObject(call);
  if (method == "DELETE" && sub.empty()) return named ? DeleteObject(call) : DeleteObjects(call);
  return ToReply(MethodNotAllowed());
}

ApiReply HandleReview(Core& core, const ApiRequest& request, const User* user,
                      const ResourcePath& path) {
  if (user == nullptr) return ToReply(Unauthorized());
  auto body = ParseJson(request.body);
  if (!body) return ToReply(BadRequest("the object provided is unrecognized"));
  if (path.plural == "tokenreviews" || path.plural == "subjectaccessreviews") {
    const AccessRequest access{.verb = "create",
                               .group = path.group,
                               .resource = path.plural,
                               .subresource = {},
                               .ns = {},
                               .name = {}};
    if (auto refused = Authorize(user, access)) return ToReply(*refused);
  }
  auto review = path.plural == "tokenreviews" ? AnswerTokenReview(core, *std::move(body))
                : path.plural == "subjectaccessreviews"
                    ? AnswerSubjectReview(core, *std::move(body))
                    : Review(*user, path.plural, *std::move(body));
  return review ? JsonReply(201, Serialize(*review)) : ToReply(review.error());
}

void Count(Core& core, const std::string& what) {
  core.requests.With([&what](std::map<std::string, size_t>& counts) { ++counts[what]; });
}

ApiReply HandleResource(Core& core, const ApiRequest& request, const Url& url,
                        const ResourcePath& path) {
  const std::string_view verb = VerbOf(request, url, path);
  Count(core, fmt::format("{} {}{}{}", verb, path.plural, path.subresource.empty() ? "" : "/",
                          path.subresource));
  const std::shared_ptr<const User> user = Bound(core, request.user);
  const bool is_review = path.group == "authorization.k8s.io" ||
                         (path.group == "authentication.k8s.io" && path.plural == "tokenreviews");
  if (is_review && request.method == "POST") {
    return HandleReview(core, request, user.get(), path);
  }
  const bool hidden = core.faults.With([&path](const Faults& faults) {
    return faults.not_served.contains(path.group + "/" + path.version);
  });
  const ResourceType* type =
      hidden ? nullptr : core.registry.Find(path.group, path.version, path.plural);
  const bool misplaced = type != nullptr && !type->namespaced && !path.ns.empty();
  std::string name = path.name;
  const std::string field = url.Query("fieldSelector");
  if (name.empty() && field.rfind("metadata.name=", 0) == 0) name = field.substr(14);
  const AccessRequest access{.verb = verb,
                             .group = path.group,
                             .resource = path.plural,
                             .subresource = path.subresource,
                             .ns = path.plural == "namespaces" ? path.name : path.ns,
                             .name = name};
  // Access comes first: who may not, does not learn whether the resource exists.
  if (auto refused = Authorize(user.get(), access)) return ToReply(*refused);
  if (type == nullptr || misplaced) return UnknownResource(core.registry, path);
  return Dispatch({core, request, url, path, {type, path.version}});
}

ApiReply HandleUrl(Core& core, const ApiRequest& request) {
  const Url url = ParseUrl(request.target);
  if (url.path == "/readyz" || url.path == "/livez" || url.path == "/healthz") {
    return TextReply(200, "ok");
  }
  if (const auto path = ParseResourcePath(url)) return HandleResource(core, request, url, *path);
  if (request.user == nullptr && url.path != "/version") {
    return ToReply(Failure{
        .code = 403,
        .reason = "Forbidden",
        .message =
            fmt::format("forbidden: User \"system:anonymous\" cannot get path \"{}\"", url.path)});
  }
  Count(core, fmt::format("get {}", url.path));
  const Faults faults = core.faults.Copy();
  const std::string& release =
      faults.git_version.empty() ? core.options.git_version : faults.git_version;
  const auto document = Discover(core.registry, release, faults.not_served, url);
  return document ? JsonReply(200, Serialize(*document)) : UnknownPath();
}

std::string Line(std::string_view type, std::string_view object) {
  std::string line;
  line.reserve(object.size() + type.size() + 24);
  line.append(R"({"type":")").append(type).append(R"(","object":)").append(object);
  return line.append("}\n");
}

}  // namespace

ApiReply ToReply(const Failure& failure) {
  ApiReply reply = JsonReply(failure.code, Serialize(ToJson(failure)));
  reply.retry_after_seconds = failure.retry_after_seconds;
  return reply;
}

ApiReply Handle(Core& core, const ApiRequest& request) {
  try {
    return HandleUrl(core, request);
  } catch (const Json::exception& error) {
    // A body of an unexpected shape; nothing of it was stored.
    return ToReply(BadRequest(error.what()));
  }
}

std::string WatchLine(const View& view, const WatchEvent& event) {
  constexpr std::string_view kTypes[] = {"ADDED", "MODIFIED", "DELETED"};
  const std::string_view type = kTypes[static_cast<size_t>(event.type)];
  return view.Converts() ? Line(type, ObjectFromStored(view, *event.object))
                         : Line(type, *event.object);
}

std::string BookmarkLine(const View& view, uint64_t version, bool initial_events_end) {
  Json metadata = {{"resourceVersion", std::to_string(version)}, {"creationTimestamp", nullptr}};
  if (initial_events_end) metadata["annotations"] = {{"k8s.io/initial-events-end", "true"}};
  return Line("BOOKMARK", Serialize({{"kind", view.type->kind},
                                     {"apiVersion", view.type->ApiVersion(view.version)},
                                     {"metadata", metadata}}));
}

std::string ErrorLine(const Failure& failure) { return Line("ERROR", Serialize(ToJson(failure))); }

}  // namespace fedra::sim
