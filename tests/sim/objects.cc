#include "tests/sim/objects.h"

#include <fmt/format.h>

#include <utility>

#include "tests/sim/core.h"

namespace fedra::sim {
namespace {

constexpr const char* kKubectl = "kubectl";

ErrorCode CodeOf(const Failure& failure) {
  switch (failure.code) {
    case 401:
      return ErrorCode::kUnauthorized;
    case 403:
      return ErrorCode::kForbidden;
    case 404:
      return ErrorCode::kNotFound;
    case 409:
      return failure.reason == "AlreadyExists" ? ErrorCode::kAlreadyExists : ErrorCode::kConflict;
    case 410:
      return ErrorCode::kGone;
    default:
      return ErrorCode::kInvalid;
  }
}

tl::unexpected<Error> ToError(const Failure& failure) {
  return tl::unexpected<Error>(Error{.code = CodeOf(failure),
                                     .message = failure.message,
                                     .http = failure.code,
                                     .retry_after = std::nullopt});
}

tl::unexpected<Error> NotServed(std::string_view resource) {
  return Fail(ErrorCode::kApiMissing, fmt::format("resource {} is not served", resource));
}

Result<Json> ToResult(const Outcome<Written>& written) {
  if (!written) return ToError(written.error());
  return Json::parse(*written->object);
}

}  // namespace

Result<Json> Objects::Create(const Json& object) {
  const std::string_view kind = StringAt(object, {"kind"});
  const ResourceType* type = core_.registry.FindKind(StringAt(object, {"apiVersion"}), kind);
  if (type == nullptr) return NotServed(kind);
  const std::string ns(StringAt(object, {"metadata", "namespace"}));
  WriteRequest request{.type = *type, .key = {ns, ""}, .subresource = {}, .manager = kKubectl};
  return core_.Write([&](Store& store) {
    Outcome<Written> written = core_.verbs.Create(store, request, object);
    if (!written || !type->has_status || !object.contains("status")) return ToResult(written);
    request.key.name = StringAt(Json::parse(*written->object), {"metadata", "name"});
    request.subresource = "status";
    return ToResult(core_.verbs.MergePatch(store, request, {{"status", object["status"]}}));
  });
}

Result<Json> Objects::Get(std::string_view resource, const ObjectKey& key) const {
  const ResourceType* type = core_.registry.FindNamed(resource);
  if (type == nullptr) return NotServed(resource);
  return core_.store.With([&](const Store& store) -> Result<Json> {
    const Object* object = store.Find(type->Stored(), key);
    if (object == nullptr) return ToError(NotFound(*type, key.name));
    return object->body;
  });
}

std::vector<Json> Objects::List(std::string_view resource, std::string_view ns) const {
  std::vector<Json> list;
  const ResourceType* type = core_.registry.FindNamed(resource);
  if (type == nullptr) return list;
  core_.store.With([&](const Store& store) {
    for (const auto& [key, object] : store.All(type->Stored())) {
      if (ns.empty() || key.ns == ns) list.push_back(object.body);
    }
  });
  return list;
}

Result<Json> Objects::Patch(std::string_view resource, const ObjectKey& key, const Json& patch,
                            std::string_view subresource) {
  const ResourceType* type = core_.registry.FindNamed(resource);
  if (type == nullptr) return NotServed(resource);
  const WriteRequest request{.type = type->Stored(),
                             .key = key,
                             .subresource = std::string(subresource),
                             .manager = kKubectl};
  return core_.Write(
      [&](Store& store) { return ToResult(core_.verbs.MergePatch(store, request, patch)); });
}

Result<void> Objects::Delete(std::string_view resource, const ObjectKey& key) {
  const ResourceType* type = core_.registry.FindNamed(resource);
  if (type == nullptr) return NotServed(resource);
  const DeleteRequest request{.type = type->Stored(),
                              .key = key,
                              .uid = {},
                              .resource_version = {},
                              .propagation = "Background"};
  return core_.Write([&](Store& store) -> Result<void> {
    const auto deleted = core_.verbs.Delete(store, request);
    if (!deleted) return ToError(deleted.error());
    return {};
  });
}

bool Objects::WaitFor(std::string_view resource, const ObjectKey& key,
                      const std::function<bool(const Json& object)>& holds,
                      std::chrono::milliseconds timeout) const {
  const ResourceType* type = core_.registry.FindNamed(resource);
  if (type == nullptr) return false;
  const auto ready = [&](const Store& store) {
    const Object* object = store.Find(type->Stored(), key);
    return holds(object == nullptr ? Json() : object->body);
  };
  return core_.store.WaitFor(timeout, ready, ready);
}

}  // namespace fedra::sim
