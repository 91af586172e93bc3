#pragma once
//
// What went wrong, as a value: a code that programs branch on and a message that people read.
//
// Every fallible function returns Result<T> (base/result.h); exceptions stop at third-party
// borders. Thread rules: a plain value.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace fedra {

// Closed list. A code says what the caller can do about it, not where it happened.
enum class ErrorCode {
  kInvalidArgument,  // the input is wrong and stays wrong
  kNotFound,         // the object does not exist (HTTP 404 with a Status of reason NotFound)
  kApiMissing,       // the server does not serve this group, version or resource
  kAlreadyExists,    // create of a name that is taken
  kConflict,         // resourceVersion or precondition mismatch: read again
  kGone,             // a watch or continue token has expired (410): list again
  kUnauthorized,     // 401: the credentials were not accepted
  kForbidden,        // 403: accepted, but not allowed. Never means "missing"
  kInvalid,          // 400 or 422: the server understood the request and refused its content
  kTooManyRequests,  // 429
  kUnavailable,      // 5xx: the server is there but cannot serve now
  kTimeout,          // no answer within the deadline
  kConnection,       // refused, reset, unresolvable, cut: nothing is known about the request's fate
  kTlsUntrusted,     // the server's certificate does not verify against the configured CA
  kBadResponse,      // an answer that is not what the protocol says (HTML, cut JSON, wrong kind)
  kTooLarge,         // an answer above the configured bound
  kCancelled,        // we are shutting down
  kCorrupt,          // the store's file is damaged
  kStorage,          // disk full, read-only, I/O error
  kInternal,         // a broken promise of our own code or of a library
};

// "NotFound", "Forbidden", ...: stable, used in logs and metrics labels.
std::string_view ToString(ErrorCode code);

// Whether the same call may succeed later without any change of the input or of the cluster.
bool IsRetryable(ErrorCode code);
// Whether the same write would fail again until an administrator changes something there.
bool IsRefusal(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;      // lower-case start, no trailing dot
  std::optional<int> http;  // status code when a server answered
  std::optional<std::chrono::milliseconds>
      retry_after;  // the server's Retry-After; a floor, not a hint
  // What it is about, where that is known. Not in `message`: who has said it already shows that
  // alone, everybody else what ToString() puts together.
  std::string cluster = {};  // the one that was asked, "gpu-east"; empty: none
  std::string option = {};   // the input by name that is wrong, "state"; empty: none
  std::string value = {};    // of that input, "Gone"; empty: it does not matter

  // "list resourceslices: connection refused": context is added where it is known.
  Error WithContext(std::string_view context) &&;
  Error WithContext(std::string_view context) const&;
  Error WithCluster(std::string_view of) &&;
  Error WithOption(std::string_view name, std::string_view of = {}) &&;
};

// All of it, for people: "gpu-east: list pods: slow down", "--state Gone: there is none".
// `dashes`: what stands before the name of an option; a parameter of the API has none.
std::string ToString(const Error& error, std::string_view dashes = "--");

// kInvalidArgument, about an option of a command, which may be a parameter of the API, too.
Error WrongOption(std::string_view name, std::string what, std::string_view value = {});

}  // namespace fedra
