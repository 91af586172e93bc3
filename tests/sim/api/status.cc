#include "tests/sim/api/status.h"

#include <fmt/format.h>

#include <utility>

#include "tests/sim/api/resource_types.h"

namespace fedra::sim {
namespace {

// StatusDetails of errors that are about one object.
Json Details(const ResourceType& type, std::string_view name, std::string_view kind) {
  Json details = {{"kind", kind}};
  if (!name.empty()) details["name"] = name;
  if (!type.group.empty()) details["group"] = type.group;
  return details;
}

std::string Quoted(std::string_view name) {
  return name.empty() ? std::string() : fmt::format(" \"{}\"", name);
}

}  // namespace

Json ToJson(const Failure& failure) {
  Json status = {
      {"kind", "Status"},    {"apiVersion", "v1"},         {"metadata", failure.metadata},
      {"status", "Failure"}, {"message", failure.message}, {"code", failure.code}};
  if (!failure.reason.empty()) status["reason"] = failure.reason;
  Json details = failure.details;
  if (failure.retry_after_seconds > 0) details["retryAfterSeconds"] = failure.retry_after_seconds;
  if (!details.empty()) status["details"] = std::move(details);
  return status;
}

std::string QualifiedResource(const ResourceType& type) {
  return type.group.empty() ? type.plural : type.plural + "." + type.group;
}

std::string QualifiedKind(const ResourceType& type) {
  return type.group.empty() ? type.kind : type.kind + "." + type.group;
}

Failure NotFound(const ResourceType& type, std::string_view name) {
  return {.code = 404,
          .reason = "NotFound",
          .message = fmt::format("{} \"{}\" not found", QualifiedResource(type), name),
          .details = Details(type, name, type.plural)};
}

Failure AlreadyExists(const ResourceType& type, std::string_view name) {
  return {.code = 409,
          .reason = "AlreadyExists",
          .message = fmt::format("{} \"{}\" already exists", QualifiedResource(type), name),
          .details = Details(type, name, type.plural)};
}

Failure NoVersion(const ResourceType& type, std::string_view name) {
  Failure failure = Invalid(type, name,
                            {{"FieldValueInvalid", "metadata.resourceVersion",
                              "Invalid value: 0: must be specified for an update"}});
  // The one validation error that speaks of the resource instead of the kind.
  failure.message.replace(0, QualifiedKind(type).size(), QualifiedResource(type));
  failure.details["kind"] = type.plural;
  return failure;
}

Failure Precondition(const ResourceType& type, std::string_view name, std::string_view why) {
  return {.code = 409,
          .reason = "Conflict",
          .message = fmt::format("Operation cannot be fulfilled on {} \"{}\": {}",
                                 QualifiedKind(type), name, why),
          .details = Details(type, name, type.kind)};
}

Failure InternalError(std::string message) {
  return {.code = 500, .reason = {}, .message = std::move(message)};
}

Failure NotServed() {
  return {.code = 404,
          .reason = "NotFound",
          .message = "the server could not find the requested resource"};
}

Failure Conflict(const ResourceType& type, std::string_view name, std::string_view why) {
  return {.code = 409,
          .reason = "Conflict",
          .message = fmt::format("Operation cannot be fulfilled on {} \"{}\": {}",
                                 QualifiedResource(type), name, why),
          .details = Details(type, name, type.plural)};
}

Failure Modified(const ResourceType& type, std::string_view name) {
  return Conflict(type, name,
                  "the object has been modified; please apply your changes to the latest version "
                  "and try again");
}

Failure BadRequest(std::string message) {
  return {.code = 400, .reason = "BadRequest", .message = std::move(message)};
}

Failure UnsupportedMedia(std::string message) {
  return {.code = 415, .reason = "UnsupportedMediaType", .message = std::move(message)};
}

Failure MethodNotAllowed() {
  return {.code = 405,
          .reason = "MethodNotAllowed",
          .message = "the server does not allow this method on the requested resource"};
}

Failure RequestTooLarge(size_t limit) {
  return {.code = 413,
          .reason = "RequestEntityTooLarge",
          .message = fmt::format("Request entity too large: limit is {}", limit)};
}

Failure Unauthorized() {
  return {.code = 401, .reason = "Unauthorized", .message = "Unauthorized"};
}

Failure Forbidden(const ResourceType& type, std::string_view name, std::string_view why) {
  return {
      .code = 403,
      .reason = "Forbidden",
      .message = fmt::format("{}{} is forbidden: {}", QualifiedResource(type), Quoted(name), why),
      .details = Details(type, name, type.plural)};
}

Failure DeniedByWebhook(std::string_view webhook, std::string_view why) {
  return {.code = 403,
          .reason = "Forbidden",
          .message = fmt::format("admission webhook \"{}\" denied the request: {}", webhook, why)};
}

Failure Expired(std::string message) {
  return {.code = 410, .reason = "Expired", .message = std::move(message)};
}

Failure Invalid(const ResourceType& type, std::string_view name,
                const std::vector<FieldError>& errors) {
  Json causes = Json::array();
  std::string text;
  for (const FieldError& error : errors) {
    if (!text.empty()) text += ", ";
    text += error.field + ": " + error.message;
    causes.push_back(
        {{"reason", error.reason}, {"message", error.message}, {"field", error.field}});
  }
  if (errors.size() > 1) text = "[" + text + "]";
  Json details = Details(type, name, type.kind);
  details["causes"] = std::move(causes);
  return {.code = 422,
          .reason = "Invalid",
          .message = fmt::format("{} \"{}\" is invalid: {}", QualifiedKind(type), name, text),
          .details = std::move(details)};
}

}  // namespace fedra::sim
