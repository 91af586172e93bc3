#include "manager/leader/lease_client.h"

#include <utility>

#include "base/log.h"

namespace fedra::leader {
namespace {

using std::chrono::milliseconds;

// For each request of a release: systemd or the kubelet waits for our end.
constexpr milliseconds kReleaseTimeout{1'000};

// Another one was quicker, or we are ending.
bool IsRace(ErrorCode code) {
  return code == ErrorCode::kConflict || code == ErrorCode::kAlreadyExists ||
         code == ErrorCode::kCancelled;
}

kube::WriteQuery ByFedra() { return {.field_manager = "fedra"}; }

}  // namespace

LeaseClient::LeaseClient(ObjectKey lease, std::string failure, const kube::AccessSettings& access,
                         const ClusterOptions& options, const Clock& clock)
    : lease_(std::move(lease)),
      failure_(std::move(failure)),
      clock_(clock),
      connection_(access, options, clock) {}

Answer LeaseClient::Send(Ask ask, const LeaseLock& lock, milliseconds timeout) {
  const HolderNotes notes = notes_.Copy();
  switch (ask) {
    case Ask::kGet:
      return Call(kube::Get(kLeases, lease_), timeout);
    case Ask::kCreate:
      return Call(
          kube::Create(kLeases, lease_.ns, {}, NewLease(lease_, lock.record(), notes), ByFedra()),
          timeout);
    case Ask::kUpdate:
      return Call(kube::Replace(kLeases, lease_, ChangedLease(lock.lease(), lock.record(), notes),
                                ByFedra()),
                  timeout);
    case Ask::kWait:
      break;
  }
  return {};
}

Answer LeaseClient::Call(const kube::Verb& verb, milliseconds timeout) {
  const bool writes = verb.request.method != "GET";
  const WallTime begun = clock_.Now();
  Result<std::string> body = connection_.Call(verb, timeout);
  if (!body && !writes && body.error().code == ErrorCode::kNotFound)
    return {.kind = Answer::Kind::kAbsent};
  Result<Lease> lease = body ? ReadLease(*body) : Fail(std::move(body).error());
  if (!lease) {
    was_race_ = IsRace(lease.error().code);
    const bool is_news = problem_.empty() && !was_race_;
    problem_ = lease.error().message;
    log::Write(is_news ? log::Level::kWarn : log::Level::kDebug, failure_,
               {{"lease", lease_.ToString()}, {"error", problem_}});
    return {};
  }
  problem_.clear();
  was_race_ = false;
  if (writes) renewed_at_ = begun;
  return {.kind = Answer::Kind::kLease, .lease = *std::move(lease)};
}

void LeaseClient::Join(std::thread& sender) {
  connection_.CancelCalls();
  sender.join();
  connection_.AllowCalls();
}

void LeaseClient::Release(const LeaseLock& lock) {
  if (!lock.Leads(BootClock::now())) return;
  const Answer now = Call(kube::Get(kLeases, lease_), kReleaseTimeout);
  if (now.kind != Answer::Kind::kLease || now.lease.record.holder != lock.identity()) return;
  LeaseRecord record = lock.Released(clock_.Now());
  record.transitions = now.lease.record.transitions;
  const Answer released = Call(
      kube::Replace(kLeases, lease_, ChangedLease(now.lease, record), ByFedra()), kReleaseTimeout);
  const bool done = released.kind == Answer::Kind::kLease;
  log::Info(done ? "the Lease is given back" : "the Lease could not be given back, and runs out",
            {{"lease", lease_.ToString()}});
}

}  // namespace fedra::leader
