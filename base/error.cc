#include "base/error.h"

#include <algorithm>
#include <utility>

namespace fedra {

std::string_view ToString(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "InvalidArgument";
    case ErrorCode::kNotFound:
      return "NotFound";
    case ErrorCode::kApiMissing:
      return "ApiMissing";
    case ErrorCode::kAlreadyExists:
      return "AlreadyExists";
    case ErrorCode::kConflict:
      return "Conflict";
    case ErrorCode::kGone:
      return "Gone";
    case ErrorCode::kUnauthorized:
      return "Unauthorized";
    case ErrorCode::kForbidden:
      return "Forbidden";
    case ErrorCode::kInvalid:
      return "Invalid";
    case ErrorCode::kTooManyRequests:
      return "TooManyRequests";
    case ErrorCode::kUnavailable:
      return "Unavailable";
    case ErrorCode::kTimeout:
      return "Timeout";
    case ErrorCode::kConnection:
      return "Connection";
    case ErrorCode::kTlsUntrusted:
      return "TlsUntrusted";
    case ErrorCode::kBadResponse:
      return "BadResponse";
    case ErrorCode::kTooLarge:
      return "TooLarge";
    case ErrorCode::kCancelled:
      return "Cancelled";
    case ErrorCode::kCorrupt:
      return "Corrupt";
    case ErrorCode::kStorage:
      return "Storage";
    case ErrorCode::kInternal:
      return "Internal";
  }
  return "Internal";
}

bool IsRefusal(ErrorCode code) {
  return code == ErrorCode::kForbidden || code == ErrorCode::kInvalid ||
         code == ErrorCode::kNotFound || code == ErrorCode::kApiMissing;
}

bool IsRetryable(ErrorCode code) {
  switch (code) {
    case ErrorCode::kTooManyRequests:
    case ErrorCode::kUnavailable:
    case ErrorCode::kTimeout:
    case ErrorCode::kConnection:
    case ErrorCode::kBadResponse:
      return true;
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kNotFound:
    case ErrorCode::kApiMissing:
    case ErrorCode::kAlreadyExists:
    case ErrorCode::kConflict:
    case ErrorCode::kGone:
    case ErrorCode::kUnauthorized:
    case ErrorCode::kForbidden:
    case ErrorCode::kInvalid:
    case ErrorCode::kTlsUntrusted:
    case ErrorCode::kTooLarge:
    case ErrorCode::kCancelled:
    case ErrorCode::kCorrupt:
    case ErrorCode::kStorage:
    case ErrorCode::kInternal:
      return false;
  }
  return false;
}

Error Error::WithContext(std::string_view context) && {
  std::string text(context);
  text += ": ";
  text += message;
  message = std::move(text);
  cluster_bytes = 0;
  option.clear();
  return std::move(*this);
}

Error Error::WithContext(std::string_view context) const& {
  return Error(*this).WithContext(context);
}

Error Error::WithCluster(std::string_view cluster) && {
  Error named = std::move(*this).WithContext(cluster);
  named.cluster_bytes = cluster.size() + std::string_view(": ").size();
  return named;
}

Error Error::WithOption(std::string_view name, std::string_view value) && {
  std::string context = "--" + std::string(name);
  if (!value.empty()) context.append(" ").append(value);
  Error named = std::move(*this).WithContext(context);
  named.option = name;
  return named;
}

Error WrongOption(std::string_view name, std::string what, std::string_view value) {
  Error error;
  error.code = ErrorCode::kInvalidArgument;
  error.message = std::move(what);
  return std::move(error).WithOption(name, value);
}

std::string_view Error::MessageThere() const {
  return std::string_view(message).substr(std::min(cluster_bytes, message.size()));
}

}  // namespace fedra
