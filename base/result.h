#pragma once
//
// Result<T>: a value or an Error. Every fallible function of this project returns one.

#include <string>
#include <utility>

#include <tl/expected.hpp>

#include "base/error.h"

namespace fedra {

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> Fail(Error error) { return tl::unexpected<Error>(std::move(error)); }
inline tl::unexpected<Error> Fail(ErrorCode code, std::string message) {
  Error error;
  error.code = code;
  error.message = std::move(message);
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace fedra

#define FEDRA_CONCAT_INNER(a, b) a##b
#define FEDRA_CONCAT(a, b) FEDRA_CONCAT_INNER(a, b)

// FEDRA_ASSIGN_OR_RETURN(auto pod, ParsePod(text)); returns the Error of the expression, if any.
#define FEDRA_ASSIGN_OR_RETURN(declaration, expression) \
  FEDRA_ASSIGN_OR_RETURN_INNER(FEDRA_CONCAT(result_, __LINE__), declaration, expression)
#define FEDRA_ASSIGN_OR_RETURN_INNER(result, declaration, expression) \
  auto result = (expression);                                         \
  if (!result) return ::fedra::Fail(std::move(result).error());       \
  declaration = *std::move(result)

#define FEDRA_RETURN_IF_ERROR(expression) \
  FEDRA_RETURN_IF_ERROR_INNER(FEDRA_CONCAT(result_, __LINE__), expression)
#define FEDRA_RETURN_IF_ERROR_INNER(result, expression) \
  if (auto result = (expression); !result) return ::fedra::Fail(std::move(result).error())
