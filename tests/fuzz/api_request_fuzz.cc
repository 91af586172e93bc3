// Requests to the API: the target's first line, and a header in each of the others. What parses is
// asked of every route, what is encoded is decoded again, and the answer to a client is made
// whatever it says that it takes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "manager/api/delivery.h"
#include "manager/api/parameters.h"

namespace {

using namespace fedra;

std::string TakeLine(std::string_view& text) {
  const std::string line(text.substr(0, text.find('\n')));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

void AskAll(const std::string& target) {
  (void)api::PathOf(target);
  for (const api::Route& route : api::Routes()) {
    const auto asked = api::Parameters::Parse(route, target);
    if (!asked) continue;
    const std::string job = asked->Text("job");
    if (job.empty()) continue;
    const auto again = api::Parameters::Parse(route, "/x" + api::QueryOf({{"job", job}}));
    if (!again || again->Text("job") != job) __builtin_trap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  httpd::Request request{TakeLine(text)};
  AskAll(request.target);
  for (const char* const name :
       {"accept", "accept-encoding", "host", "if-none-match", "sec-fetch-site"})
    request.headers[name] = TakeLine(text);
  (void)api::Accepts(request.headers["accept"], "application/json");
  (void)api::RefusalOf(request);
  const httpd::Answer answer = api::Deliver(request, {.body = std::string(text)}, text);
  if (answer.status != 200 && answer.status != 304) __builtin_trap();
  return 0;
}
