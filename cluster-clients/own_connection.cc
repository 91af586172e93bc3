#include "cluster-clients/own_connection.h"

#include <utility>

#include "cluster-clients/kube/status.h"
#include "cluster-clients/session.h"

namespace fedra {

OwnConnection::OwnConnection(const kube::AccessSettings& access, ClusterOptions options,
                             const Clock& clock)
    : options_(std::move(options)), clock_(clock), session_(Make(access)) {}

OwnConnection::~OwnConnection() {
  session_.Copy()->Stop();
  threads_.loop.Flush();  // the workers are not asked for anything any more
}

OwnConnection::SessionPtr OwnConnection::Make(const kube::AccessSettings& access) {
  return std::make_shared<Session>(access, options_, threads_.loop, threads_.pool, clock_);
}

Result<std::string> OwnConnection::Call(const kube::Verb& verb, std::chrono::milliseconds timeout) {
  const SessionPtr session = session_.Copy();
  http::Request request = verb.request;
  request.timeout = timeout;
  request.max_bytes = options_.max_response_bytes;
  Result<std::string> body = kube::TakeObject(session->Call(std::move(request), [] {}));
  if (!body && body.error().code == ErrorCode::kTimeout) session->client().Reset(body.error());
  return body;
}

void OwnConnection::CancelCalls() {
  Error why;
  why.code = ErrorCode::kCancelled;
  why.message = "shutting down";
  session_.Copy()->client().Reset(std::move(why));
}

void OwnConnection::UpdateAccess(const kube::AccessSettings& access) {
  SessionPtr fresh = Make(access);
  const SessionPtr old =
      session_.With([&](SessionPtr& session) { return std::exchange(session, std::move(fresh)); });
  old->Stop();
}

}  // namespace fedra
