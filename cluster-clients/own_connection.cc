#include "cluster-clients/own_connection.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cluster-clients/kube/list_reader.h"
#include "cluster-clients/kube/status.h"
#include "cluster-clients/session.h"

namespace fedra {
namespace {

// The client keeps to the deadline itself; this only covers for a credential that never comes.
constexpr std::chrono::milliseconds kCallMargin{500};
constexpr size_t kPage = 500;         // objects of a list
constexpr size_t kMostPages = 5'000;  // a server may send them without end, and nothing in them

Error CallCancelled() {
  Error why;
  why.code = ErrorCode::kCancelled;
  why.message = "shutting down";
  return why;
}

Error NoCredentials() {
  Error why;
  why.code = ErrorCode::kTimeout;
  why.message = "no credentials within the deadline";
  return why;
}

http::Reply Unanswered(Error why) {
  http::Reply reply;
  reply.failure = std::move(why);
  return reply;
}

}  // namespace

OwnConnection::OwnConnection(const kube::AccessSettings& access, ClusterOptions options,
                             const Clock& clock)
    : options_(std::move(options)), clock_(clock) {
  state_.With([&](State& state) { state.session = Make(access); });
}

OwnConnection::~OwnConnection() {
  CancelCalls();
  state_.With([](const State& state) { return state.session; })->Stop();
  threads_.loop.Flush();  // the workers are not asked for anything any more
}

OwnConnection::SessionPtr OwnConnection::Make(const kube::AccessSettings& access) {
  return std::make_shared<Session>(access, options_, threads_.loop, threads_.pool, clock_);
}

OwnConnection::SessionPtr OwnConnection::BeginCall(const PendingPtr& call) {
  return state_.With([&](State& state) -> SessionPtr {
    if (state.cancelled) return nullptr;
    state.call = call;
    return state.session;
  });
}

// Does not rely on the client to end a call that is cancelled: the request may not have been given
// to it yet, while credentials are fetched, or only after it was told to end all.
Result<std::string> OwnConnection::Call(const kube::Verb& verb, std::chrono::milliseconds timeout) {
  const auto call = std::make_shared<Guarded<Pending>>();
  const SessionPtr session = BeginCall(call);
  if (session == nullptr) return Fail(CallCancelled());
  http::Request request = verb.request;
  request.timeout = timeout;
  request.max_bytes = std::min(request.max_bytes, options_.max_response_bytes);
  session->Send(std::move(request), [call](http::Reply reply) {
    call->With([&](Pending& pending) { pending.reply = std::move(reply); });
    call->Notify();
  });
  http::Reply reply = call->WaitFor(
      timeout + kCallMargin,
      [](const Pending& pending) { return pending.cancelled || pending.reply; },
      [](Pending& pending) {
        if (pending.reply && (!pending.reply->failure || !pending.cancelled))
          return *std::move(pending.reply);
        return Unanswered(pending.cancelled ? CallCancelled() : NoCredentials());
      });
  if (reply.date) {
    state_.With([&](State& state) {
      state.told = reply.date;
      state.told_at = clock_.Steady();
    });
  }
  Result<std::string> body =
      verb.answers_text ? kube::TakeText(std::move(reply)) : kube::TakeObject(std::move(reply));
  if (!body && body.error().code == ErrorCode::kTimeout)
    session->client().Reset(body.error().message);
  return body;
}

std::optional<WallTime> OwnConnection::ServerTime() const {
  return state_.With([&](const State& state) -> std::optional<WallTime> {
    if (!state.told) return std::nullopt;
    return *state.told +
           std::chrono::duration_cast<std::chrono::milliseconds>(clock_.Steady() - state.told_at);
  });
}

Result<void> OwnConnection::List(const kube::Resource& resource, const kube::Selection& selection,
                                 size_t most, std::chrono::milliseconds timeout,
                                 const std::function<Result<void>(std::string_view)>& on_item) {
  size_t items = 0;
  size_t pages = 0;
  std::string token;
  do {
    const kube::Verb verb{.request = kube::ListPage(resource, selection, kPage, token)};
    FEDRA_ASSIGN_OR_RETURN(const std::string page, Call(verb, timeout));
    Result<void> taken;
    kube::ListReader reader([&](std::string_view item) {
      ++items;
      if (taken && items <= most) taken = on_item(item);
    });
    FEDRA_RETURN_IF_ERROR(reader.Feed(page));
    FEDRA_RETURN_IF_ERROR(taken);
    FEDRA_ASSIGN_OR_RETURN(kube::ListMeta meta, reader.Finish());
    token = std::move(meta.continue_token);
    if (items > most || ++pages > kMostPages)
      return Fail(ErrorCode::kTooLarge,
                  fmt::format("there are more than {} {}", most, resource.plural));
  } while (!token.empty());
  return {};
}

std::function<void()> OwnConnection::Stream(http::Request request, http::StreamHandler handler) {
  const SessionPtr session = state_.With(
      [](const State& state) { return state.cancelled ? SessionPtr() : state.session; });
  if (session != nullptr) return session->Stream(std::move(request), std::move(handler));
  handler.on_end(Unanswered(CallCancelled()));
  return [] {};
}

void OwnConnection::CancelCalls() {
  const auto [session, call] = state_.With([](State& state) {
    state.cancelled = true;
    return std::pair(state.session, state.call);
  });
  if (call != nullptr) {
    call->With([](Pending& pending) { pending.cancelled = true; });
    call->Notify();
  }
  session->client().Reset(CallCancelled().message);
}

void OwnConnection::AllowCalls() {
  state_.With([](State& state) { state.cancelled = false; });
}

void OwnConnection::UpdateAccess(const kube::AccessSettings& access) {
  SessionPtr fresh = Make(access);
  const SessionPtr old =
      state_.With([&](State& state) { return std::exchange(state.session, std::move(fresh)); });
  old->Stop();
}

}  // namespace fedra
