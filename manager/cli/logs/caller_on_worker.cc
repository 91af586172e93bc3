#include "manager/cli/logs/caller_on_worker.h"

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/guarded.h"
#include "cluster-clients/kube/status.h"
#include "cluster-clients/kube/verbs.h"
#include "manager/tracking/resources.h"
#include "manager/wiring.h"

namespace fedra::cli {
namespace {

constexpr size_t kMaxPods = 10'000;
// An answer may be this much larger than what was asked for: a server cuts at its own places.
constexpr size_t kLogMargin = size_t{64} << 10;
constexpr std::chrono::hours kLongestFollow{24 * 30};

}  // namespace

CallerOnWorker::CallerOnWorker(JobPlace place, const config::KubeAccess& access,
                               std::chrono::milliseconds timeout)
    : place_(std::move(place)),
      context_(access.context),
      timeout_(timeout),
      connection_(ToAccess(access), {.max_response_bytes = kMaxLogBytes + kLogMargin},
                  SystemClock()) {}

Result<std::vector<PodContainers>> CallerOnWorker::Pods(const PodQuestion& question) {
  const bool is_named = !question.pod.name.empty();
  Result<std::vector<PodContainers>> pods = is_named ? Named(question.pod) : Labelled(question);
  if (!pods) return Fail(Explained(std::move(pods).error(), is_named ? "get pods" : "list pods"));
  return pods;
}

Result<std::vector<PodContainers>> CallerOnWorker::Named(const ObjectKey& key) {
  const Result<std::string> text = connection_.Call(kube::Get(tracking::kPods, key), timeout_);
  if (!text && text.error().code == ErrorCode::kNotFound) return std::vector<PodContainers>();
  if (!text) return Fail(text.error());
  FEDRA_ASSIGN_OR_RETURN(PodContainers pod, ParsePodContainers(*text));
  return std::vector{std::move(pod)};
}

Result<std::vector<PodContainers>> CallerOnWorker::Labelled(const PodQuestion& question) {
  std::vector<PodContainers> pods;
  const auto take = [&](std::string_view item) -> Result<void> {
    FEDRA_ASSIGN_OR_RETURN(PodContainers pod, ParsePodContainers(item));
    if (IsOfJob(pod, question)) pods.push_back(std::move(pod));
    return {};
  };
  FEDRA_RETURN_IF_ERROR(connection_.List(tracking::kPods, {place_.job.ns, question.labels},
                                         kMaxPods, timeout_, take));
  return pods;
}

Result<std::string> CallerOnWorker::Log(const LogSource& source, int lines, size_t bytes) {
  kube::Verb verb = kube::PodLog({place_.job.ns, source.pod}, source.container, lines, bytes);
  verb.request.accept = "*/*";
  verb.request.max_bytes = bytes + kLogMargin;
  Result<std::string> log = connection_.Call(verb, timeout_);
  if (!log) return Fail(Explained(std::move(log).error(), "get pods/log"));
  return log;
}

void CallerOnWorker::Follow(const LogSource& source, int lines, size_t stream,
                            const std::shared_ptr<Arrivals>& arrivals) {
  http::Request request = kube::FollowPodLog({place_.job.ns, source.pod}, source.container, lines);
  request.accept = "*/*";
  request.timeout = kLongestFollow;
  request.open_timeout = timeout_;
  request.max_bytes = SIZE_MAX;  // what is kept of it, `arrivals` bounds
  const auto cancel = std::make_shared<Guarded<std::function<void()>>>();
  auto end = connection_.Stream(
      std::move(request),
      {.on_open = [](int) {},
       .on_data =
           [=](std::string_view bytes) {
             if (arrivals->Data(stream, bytes)) return;
             if (const auto call = cancel->Copy()) call();
           },
       .on_end = [=](http::Reply reply) { arrivals->End(stream, std::move(reply)); }});
  cancel->With([&](std::function<void()>& call) { call = std::move(end); });
}

Error CallerOnWorker::WhyEnded(const http::Reply& reply) const {
  return Explained(kube::ErrorOf(reply), "get pods/log");
}

Error CallerOnWorker::Explained(Error error, const char* right) const {
  if (error.code == ErrorCode::kForbidden)
    error.message +=
        fmt::format("; you need the right to {} in namespace {} there", right, place_.job.ns);
  return std::move(error).WithContext(
      fmt::format("worker {} (context {})", place_.worker, context_));
}

}  // namespace fedra::cli
