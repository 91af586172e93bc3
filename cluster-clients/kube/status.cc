#include "cluster-clients/kube/status.h"

#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cluster-clients/kube/json_fields.h"
#include "cluster-clients/kube/json_text.h"

namespace fedra::kube {
namespace {

using nlohmann::json;

constexpr size_t kMaxMessage = 512;

// The fields of metav1.Status that we use.
struct Status {
  std::string reason;
  std::string message;
  int code = 0;
  std::optional<std::chrono::seconds> retry_after;
};

struct ReasonCode {
  std::string_view reason;
  ErrorCode code;
};

// metav1.StatusReason of Kubernetes 1.36. Reasons that only repeat the HTTP code are left to
// ByHttp.
constexpr std::array kReasons = {
    ReasonCode{"NotFound", ErrorCode::kNotFound},
    ReasonCode{"AlreadyExists", ErrorCode::kAlreadyExists},
    ReasonCode{"Conflict", ErrorCode::kConflict},
    ReasonCode{"Gone", ErrorCode::kGone},
    ReasonCode{"Expired", ErrorCode::kGone},
    ReasonCode{"Unauthorized", ErrorCode::kUnauthorized},
    ReasonCode{"Forbidden", ErrorCode::kForbidden},
    ReasonCode{"Invalid", ErrorCode::kInvalid},
    ReasonCode{"BadRequest", ErrorCode::kInvalid},
    ReasonCode{"MethodNotAllowed", ErrorCode::kInvalid},
    ReasonCode{"TooManyRequests", ErrorCode::kTooManyRequests},
    ReasonCode{"ServerTimeout", ErrorCode::kUnavailable},
    ReasonCode{"Timeout", ErrorCode::kUnavailable},
    ReasonCode{"InternalError", ErrorCode::kUnavailable},
    ReasonCode{"ServiceUnavailable", ErrorCode::kUnavailable},
};

ErrorCode ByHttp(int http) {
  switch (http) {
    case 401:
      return ErrorCode::kUnauthorized;
    case 403:
      return ErrorCode::kForbidden;
    case 404:
      return ErrorCode::kApiMissing;  // a path that is not served is answered in plain text
    case 409:
      return ErrorCode::kConflict;
    case 410:
      return ErrorCode::kGone;
    case 429:
      return ErrorCode::kTooManyRequests;
    default:
      break;
  }
  if (http >= 500) return ErrorCode::kUnavailable;
  return http >= 400 ? ErrorCode::kInvalid : ErrorCode::kBadResponse;
}

std::optional<Status> ReadStatus(std::string_view text) {
  const json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object() || Text(object, "kind") != "Status") return std::nullopt;
  Status status{.reason = Text(object, "reason"),
                .message = Text(object, "message"),
                .code = 0,
                .retry_after = {}};
  if (const auto code = object.find("code"); code != object.end() && code->is_number_integer()) {
    status.code = code->get<int>();
  }
  const auto details = object.find("details");
  if (details == object.end() || !details->is_object()) return status;
  const auto retry = details->find("retryAfterSeconds");
  if (retry != details->end() && retry->is_number_unsigned() && *retry > 0 && *retry < 3600) {
    status.retry_after = std::chrono::seconds(retry->get<int>());
  }
  return status;
}

ErrorCode CodeOf(const Status& status) {
  // For a resource that is not served the API server answers NotFound with this message.
  if (status.code == 404 &&
      status.message.find("could not find the requested resource") != std::string::npos) {
    return ErrorCode::kApiMissing;
  }
  for (const ReasonCode& row : kReasons) {
    if (row.reason == status.reason) return row.code;
  }
  return ByHttp(status.code);
}

Error FromStatus(Status status) {
  Error error;
  error.code = CodeOf(status);
  if (status.code > 0) error.http = status.code;
  error.message = status.message.empty()
                      ? fmt::format("HTTP {} {}", status.code, OneLine(status.reason, 64))
                      : OneLine(status.message, kMaxMessage);
  error.retry_after = status.retry_after;
  return error;
}

bool LooksLikeHtml(const http::Reply& reply) {
  const size_t first = reply.body.find_first_not_of(" \t\r\n");
  return reply.content_type == "text/html" ||
         (first != std::string::npos && reply.body[first] == '<');
}

// Something that stands between us and the API server, or no API server at all.
Error WithoutStatus(const http::Reply& reply) {
  Error error;
  error.http = reply.status;
  error.code = ByHttp(reply.status);
  const bool telling =
      reply.status == 401 || reply.status == 403 || reply.status == 429 || reply.status >= 500;
  if (!telling && (LooksLikeHtml(reply) || reply.status != 404))
    error.code = ErrorCode::kBadResponse;
  error.message =
      error.code == ErrorCode::kApiMissing
          ? "the server could not find the requested resource"
          : fmt::format(
                "HTTP {} without a Kubernetes status ({}, {} bytes)", reply.status,
                reply.content_type.empty() ? "no content type" : OneLine(reply.content_type, 64),
                reply.body.size());
  return error;
}

}  // namespace

Error ErrorOf(const http::Reply& reply) {
  if (reply.failure) return *reply.failure;
  Error error;
  if (std::optional<Status> status = ReadStatus(reply.body)) {
    status->code = reply.status;
    error = FromStatus(*std::move(status));
  } else {
    error = WithoutStatus(reply);
  }
  if (reply.retry_after) error.retry_after = reply.retry_after;
  return error;
}

Error ErrorOfStatus(std::string_view text) {
  if (std::optional<Status> status = ReadStatus(text)) return FromStatus(*std::move(status));
  Error error;
  error.code = ErrorCode::kBadResponse;
  error.message = "an error without a Kubernetes status";
  return error;
}

Result<std::string> TakeText(http::Reply reply) {
  if (!reply.ok()) return Fail(ErrorOf(reply));
  return std::move(reply.body);
}

Result<std::string> TakeObject(http::Reply reply) {
  if (!reply.ok()) return Fail(ErrorOf(reply));
  if (!IsCompleteObject(reply.body)) {
    Error error;
    error.code = ErrorCode::kBadResponse;
    error.http = reply.status;
    error.message = fmt::format(
        "the answer is not a JSON object ({}, {} bytes)",
        reply.content_type.empty() ? "no content type" : OneLine(reply.content_type, 64),
        reply.body.size());
    return Fail(std::move(error));
  }
  return std::move(reply.body);
}

}  // namespace fedra::kube
