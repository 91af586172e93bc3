#include "cluster-clients/api_client.h"

#include <utility>

#include <fmt/format.h>

#include "cluster-clients/http/retry.h"
#include "cluster-clients/kube/status.h"

namespace fedra {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::seconds;

// So long calls may wait before a cluster that says nothing at all gets no more of them: each
// holds a worker thread that other clusters need.
constexpr milliseconds kPatience{1'000};

Error NotConnected(const ConnectionState& state) {
  Error error = state.why.value_or(Error{});
  if (state.phase == ConnectionPhase::kUnreachable && error.code != ErrorCode::kTimeout) {
    error.code = ErrorCode::kConnection;
  }
  error.retry_after.reset();
  return error;
}

}  // namespace

// Keeps count of the calls under way.
class ApiClient::Entry final {
 public:
  Entry(Guarded<UnderWay>& under_way, SteadyTime begun) : under_way_(under_way), begun_(begun) {
    under_way_.With([&](UnderWay& all) { all.begun.insert(begun_); });
  }
  ~Entry() {
    under_way_.With([&](UnderWay& all) { all.begun.erase(all.begun.find(begun_)); });
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

 private:
  Guarded<UnderWay>& under_way_;
  const SteadyTime begun_;
};

Result<void> ApiClient::MayCall() {
  const ConnectionState state = monitor_.state();
  if (state.phase != ConnectionPhase::kConnected && state.phase != ConnectionPhase::kConnecting) {
    return Fail(NotConnected(state));
  }
  const SteadyTime now = clock_.Steady();
  const auto [oldest, stopped] = under_way_.With([&](const UnderWay& all) {
    return std::pair(all.begun.size() < 2 ? now : *all.begun.begin(), all.stopped);
  });
  if (stopped) return Fail(ErrorCode::kCancelled, "shutting down");
  if (now - oldest > kPatience && monitor_.last_contact() < oldest) {
    const auto silent = duration_cast<milliseconds>(now - oldest);
    return Fail(ErrorCode::kTimeout,
                fmt::format("no answer to earlier calls for {} ms", silent.count()));
  }
  return {};
}

Result<std::string> ApiClient::Call(const kube::Verb& verb, std::string_view what) {
  const SteadyTime deadline = clock_.Steady() + options_.call_timeout;
  // Rounded up, as everywhere below: a call that is not answered waits for at least its time-out.
  const auto left = [&] { return std::chrono::ceil<milliseconds>(deadline - clock_.Steady()); };
  const auto context = [&](Error error) {
    return Fail(std::move(error).WithContext(what).WithCluster(name_.value));
  };
  for (int number = 1;; ++number) {
    if (const Result<void> may = MayCall(); !may) return context(may.error());
    http::Reply reply = Attempt(verb, left());
    const bool unsent = reply.unsent;
    Result<std::string> body =
        verb.answers_text ? kube::TakeText(std::move(reply)) : kube::TakeObject(std::move(reply));
    if (body) return body;
    const auto delay =
        http::RetryDelay({body.error(), number, verb.idempotent, unsent, left(), http::Jitter()});
    if (!delay || !Pause(*delay)) return context(std::move(body).error());
  }
}

http::Reply ApiClient::Attempt(const kube::Verb& verb, milliseconds left) {
  const SteadyTime begun = clock_.Steady();
  const Entry entry(under_way_, begun);
  http::Request request = verb.request;
  request.timeout = left;
  request.max_bytes = options_.max_response_bytes;
  http::Reply reply = monitor_.session()->Call(std::move(request), [&] { Slow(begun); });
  Judge(reply);
  if (options_.on_read) options_.on_read(name_, {.bytes = reply.body.size(), .events = 0});
  if (options_.on_request) {
    const std::string code =
        reply.failure ? std::string(ToString(reply.failure->code)) : std::to_string(reply.status);
    options_.on_request(name_, verb.request.method, code, clock_.Steady() - begun);
  }
  return reply;
}

void ApiClient::Slow(SteadyTime begun) {
  if (monitor_.last_contact() < begun) monitor_.Suspect();
}

// What an answer says about the connection. The phase itself is the monitor's business.
void ApiClient::Judge(const http::Reply& reply) {
  if (!reply.failure && reply.status < 500 && reply.status != 401) return monitor_.NoteContact();
  const bool network = reply.failure && reply.failure->code != ErrorCode::kCancelled &&
                       reply.failure->code != ErrorCode::kTooLarge;
  if (network || reply.status == 401) monitor_.Suspect();
}

// False when the time was cut short by Stop().
bool ApiClient::Pause(milliseconds delay) {
  return under_way_.WaitFor(
      delay, [](const UnderWay& all) { return all.stopped; },
      [](const UnderWay& all) { return !all.stopped; });
}

void ApiClient::Stop() {
  under_way_.With([](UnderWay& all) { all.stopped = true; });
  under_way_.Notify();
}

}  // namespace fedra
