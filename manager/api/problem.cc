#include "manager/api/problem.h"

#include <string_view>

#include <nlohmann/json.hpp>

#include "manager/report/schema.h"

namespace fedra::api {
namespace {

using nlohmann::ordered_json;

// metav1.StatusReason of the code.
std::string_view ReasonOf(int status) {
  switch (status) {
    case 400:
      return "BadRequest";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "NotFound";
    case 405:
      return "MethodNotAllowed";
    case 406:
      return "NotAcceptable";
    case 413:
      return "RequestEntityTooLarge";
    case 415:
      return "UnsupportedMediaType";
    case 429:
      return "TooManyRequests";
    case 503:
      return "ServiceUnavailable";
    case 500:
      return "InternalError";
    default:
      return "";  // the API has no word for it
  }
}

int StatusOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return 400;
    case ErrorCode::kNotFound:
      return 404;
    case ErrorCode::kConflict:  // the store is busy
    case ErrorCode::kUnavailable:
      return 503;
    default:
      return 500;
  }
}

}  // namespace

httpd::Answer Problem(int status, const std::string& message, const std::string& field) {
  ordered_json document = {
      {"kind", "Status"},    {"apiVersion", "v1"}, {"metadata", ordered_json::object()},
      {"status", "Failure"}, {"message", message}, {"reason", ReasonOf(status)},
      {"code", status}};
  if (!field.empty()) {
    document["details"]["causes"] = {
        {{"reason", "FieldValueInvalid"}, {"message", message}, {"field", field}}};
  }
  // What a client sent may be in the message, and need not be UTF-8.
  return {.status = status,
          .content_type = "application/json",
          .body = document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n",
          .headers = {{"Cache-Control", "no-store"}}};
}

httpd::Answer ProblemOf(const Error& error) {
  // A parameter has the option's name, without its dashes.
  return Problem(StatusOf(error.code), ToString(error, ""), error.option);
}

std::vector<report::schema::NamedSchema> ProblemSchemas() {
  using report::schema::Always;
  using report::schema::ListOf;
  using report::schema::Maybe;
  using report::schema::Object;
  using report::schema::Ref;
  using report::schema::Text;
  return {
      {"Status", Object("What went wrong, as API servers say it (meta/v1).",
                        {{"kind", Always("Status"), "What document it is"},
                         {"apiVersion", Always("v1"), "Kubernetes' version of it"},
                         {"metadata", Object("Of lists; here there is nothing in it.", {}), ""},
                         {"status", Always("Failure"), "Success is another document"},
                         {"message", Text(), "What is wrong and what to do, for people"},
                         {"reason", Text(), "Kubernetes' word for the code; empty: it has none"},
                         {"code", report::schema::Number(), "The HTTP status"},
                         Maybe("details", Ref("StatusDetails"), "What it is about")})},
      {"StatusDetails", Object("What a Status is about.",
                               {{"causes", ListOf(Ref("StatusCause")), "The wrong parameters"}})},
      {"StatusCause", Object("A wrong parameter.",
                             {{"reason", Always("FieldValueInvalid"), "Kubernetes' word for it"},
                              {"message", Text(), "As in the Status"},
                              {"field", Text(), "The parameter's name"}})},
  };
}

}  // namespace fedra::api
