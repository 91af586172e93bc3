#include "cluster-clients/discovery.h"

#include <deque>
#include <utility>

#include "base/worker_pool.h"
#include "cluster-clients/kube/discovery_answers.h"
#include "cluster-clients/kube/status.h"
#include "cluster-clients/kube/url.h"
#include "cluster-clients/session.h"

namespace fedra {
namespace {

// One question after the other. Keeps itself alive through the request under way.
class Discovering final : public std::enable_shared_from_this<Discovering> {
 public:
  using Done = std::function<void(Result<kube::ServerInfo>)>;

  Discovering(std::shared_ptr<Session> session, WorkerPool& workers, DiscoveryPlan plan, Done done)
      : session_(std::move(session)),
        workers_(workers),
        plan_(std::move(plan)),
        done_(std::move(done)) {
    Ask("/version", false,
        [this](const std::string& body) { return kube::ReadVersion(body, info_); });
    if (plan_.discover)
      Ask("/apis", false, [this](const std::string& body) { return TakeGroups(body); });
  }

  void Next() {
    if (questions_.empty()) return done_(std::move(info_));
    http::Request request;
    request.path = questions_.front().path;
    request.timeout = plan_.timeout;
    request.max_bytes = kMaxAnswer;
    session_->Send(std::move(request), [self = shared_from_this()](http::Reply reply) {
      self->workers_.Submit(
          [self, reply = std::move(reply)]() mutable { self->Answered(std::move(reply)); });
    });
  }

 private:
  static constexpr size_t kMaxAnswer = 16u << 20;

  struct Question {
    std::string path;
    bool may_be_missing = false;
    std::function<Result<void>(const std::string& body)> read;
  };

  void Ask(std::string path, bool may_be_missing,
           std::function<Result<void>(const std::string&)> read) {
    questions_.push_back({std::move(path), may_be_missing, std::move(read)});
  }

  void Answered(http::Reply reply) {
    const Question question = std::move(questions_.front());
    questions_.pop_front();
    const Result<std::string> body = kube::TakeObject(std::move(reply));
    if (!body) {
      // A group may vanish between two questions.
      if (question.may_be_missing && body.error().code == ErrorCode::kApiMissing) return Next();
      return done_(Fail(body.error().WithContext("GET " + question.path)));
    }
    if (const Result<void> read = question.read(*body); !read) {
      return done_(Fail(read.error().WithContext("GET " + question.path)));
    }
    Next();
  }

  Result<void> TakeGroups(const std::string& body) {
    FEDRA_RETURN_IF_ERROR(kube::ReadGroups(body, info_));
    for (const std::string& group : plan_.groups) {
      const auto found = info_.groups.find(group);
      if (found == info_.groups.end()) continue;
      for (const std::string& version : found->second) {
        std::string name = group.empty() ? version : group + "/" + version;
        std::string path = group.empty() ? "/api/" : "/apis/" + kube::PercentEncode(group) + "/";
        Ask(path + kube::PercentEncode(version), true, [this, name](const std::string& list) {
          return kube::ReadResources(list, name, info_);
        });
      }
    }
    return {};
  }

  const std::shared_ptr<Session> session_;
  WorkerPool& workers_;
  const DiscoveryPlan plan_;
  const Done done_;
  std::deque<Question> questions_;
  kube::ServerInfo info_;
};

}  // namespace

void Discover(std::shared_ptr<Session> session, WorkerPool& workers, DiscoveryPlan plan,
              std::function<void(Result<kube::ServerInfo>)> done) {
  std::make_shared<Discovering>(std::move(session), workers, std::move(plan), std::move(done))
      ->Next();
}

}  // namespace fedra
