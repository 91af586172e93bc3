#pragma once
//
// metav1.Status errors with the wording of a real API server (Kubernetes 1.36), because clients
// show these messages to people and some parse them.
//
// Thread rules: plain values.

#include <cstddef>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/types.h"
#include "tests/sim/api/json.h"

namespace fedra::sim {

struct ResourceType;

// A refused request.
struct Failure {
  int code = 500;
  std::string reason;  // "NotFound", "Conflict", ...
  std::string message;
  Json details = Json::object();
  Json metadata = Json::object();  // only expired lists put something here
  int retry_after_seconds = -1;    // negative: none
};

template <class T>
using Outcome = tl::expected<T, Failure>;

inline tl::unexpected<Failure> Refuse(Failure failure) {
  return tl::unexpected<Failure>(std::move(failure));
}

// The Status object.
Json ToJson(const Failure& failure);

// "jobs.batch", "pods".
std::string QualifiedResource(const ResourceType& type);
// "Job.batch", "Pod".
std::string QualifiedKind(const ResourceType& type);

Failure NotFound(const ResourceType& type, std::string_view name);
Failure AlreadyExists(const ResourceType& type, std::string_view name);
// "Operation cannot be fulfilled on ...: <why>".
Failure Conflict(const ResourceType& type, std::string_view name, std::string_view why);
// The conflict of an old resourceVersion.
Failure Modified(const ResourceType& type, std::string_view name);
// An update of a custom resource without a resourceVersion.
Failure NoVersion(const ResourceType& type, std::string_view name);
// A delete whose preconditions do not hold.
Failure Precondition(const ResourceType& type, std::string_view name, std::string_view why);
// 500 without a reason.
Failure InternalError(std::string message);
// A resource that a served group does not have.
Failure NotServed();
Failure BadRequest(std::string message);
Failure UnsupportedMedia(std::string message);
Failure MethodNotAllowed();
// 413: a body of more than `limit` bytes.
Failure RequestTooLarge(size_t limit);
Failure Unauthorized();
// 403 with the text of the caller's choice behind "<resource> is forbidden: ".
Failure Forbidden(const ResourceType& type, std::string_view name, std::string_view why);
// 403 of a validating webhook. It has no details: nothing but the text tells it from RBAC's.
Failure DeniedByWebhook(std::string_view webhook, std::string_view why);
Failure Expired(std::string message);

// One field error of an invalid object.
struct FieldError {
  std::string reason;   // "FieldValueInvalid", "FieldValueRequired", "FieldValueForbidden", ...
  std::string field;    // "status.clusterName"
  std::string message;  // "Invalid value: \"x\": must be ..."
};
Failure Invalid(const ResourceType& type, std::string_view name,
                const std::vector<FieldError>& errors);

}  // namespace fedra::sim
