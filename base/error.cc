#include "base/error.h"

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
  return std::move(*this);
}

Error Error::WithContext(std::string_view context) const& {
  return Error(*this).WithContext(context);
}

Error Error::WithCluster(std::string_view of) && {
  cluster = of;
  return std::move(*this);
}

Error Error::WithOption(std::string_view name, std::string_view of) && {
  option = name;
  value = of;
  return std::move(*this);
}

std::string ToString(const Error& error, std::string_view dashes) {
  std::string text;
  if (!error.cluster.empty()) text.append(error.cluster).append(": ");
  if (!error.option.empty()) {
    text.append(dashes).append(error.option);
    if (!error.value.empty()) text.append(" ").append(error.value);
    text.append(": ");
  }
  return text.append(error.message);
}

Error WrongOption(std::string_view name, std::string what, std::string_view value) {
  Error error;
  error.code = ErrorCode::kInvalidArgument;
  error.message = std::move(what);
  return std::move(error).WithOption(name, value);
}

}  // namespace fedra
