#include "tests/sim/http/injected.h"

namespace fedra::sim {

std::optional<InjectedAnswer> TakeInjected(Guarded<Faults>& faults, const ApiRequest& request) {
  return faults.With([&request](Faults& f) -> std::optional<InjectedAnswer> {
    for (InjectedAnswer& answer : f.answers) {
      if (answer.times == 0) continue;
      if (!answer.method.empty() && answer.method != request.method) continue;
      if (request.target.find(answer.path_contains) == std::string::npos) continue;
      if (answer.times > 0) --answer.times;
      return answer;
    }
    return std::nullopt;
  });
}

ApiReply HtmlReply(const InjectedAnswer& answer) {
  ApiReply reply;
  reply.code = answer.code;
  reply.content_type = "text/html";
  reply.body =
      "<html><head><title>503 Service Temporarily Unavailable</title></head>"
      "<body><center><h1>503 Service Temporarily Unavailable</h1></center></body></html>";
  return reply;
}

ApiReply StatusReply(const InjectedAnswer& answer) {
  Failure failure{.code = answer.code, .reason = "InternalError", .message = "injected by a test"};
  if (answer.code == 429) failure.reason = "TooManyRequests";
  if (answer.code == 503) failure.reason = "ServiceUnavailable";
  if (answer.code == 403) failure.reason = "Forbidden";
  if (answer.code == 504) failure.reason = "Timeout";
  if (answer.code == 409) failure.reason = "AlreadyExists";
  failure.retry_after_seconds = answer.retry_after_seconds;
  return ToReply(failure);
}

}  // namespace fedra::sim
