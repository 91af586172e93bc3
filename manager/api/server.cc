#include "manager/api/server.h"

#include <utility>

#include "base/log.h"
#include "manager/api/parameters.h"
#include "manager/api/problem.h"

namespace fedra::api {

Server::Server(Sources sources, httpd::ServerLimits limits)
    : stop_check_(sources.check.stop),
      on_answer_(sources.on_answer),
      streams_(sources.feed, sources.store),
      api_(With(streams_, std::move(sources))),
      listener_(threads_.loop(), ServiceOfApi(), limits) {}

// What is being answered is waited for.
Server::~Server() {
  if (stop_check_) stop_check_();
  streams_.Stop();
  threads_.End(listener_);
}

httpd::Service Server::ServiceOfApi() {
  return {
      .answer =
          [this](httpd::Request request, std::function<void(httpd::Answer)> done) {
            const std::string peer = request.peer;
            const bool is_check = request.is_post;
            auto answer = [this, request = std::move(request), done = std::move(done)] {
              done(api_.Answer(request));
            };
            if (is_check) return threads_.SubmitCheck(peer, std::move(answer));
            threads_.Submit(peer, std::move(answer));
          },
      .is_urgent = [](const httpd::Request&) { return false; },
      .refusal = [](int status, const std::string& message) { return Problem(status, message); },
      .takes_post = &IsForPost,
      .on_answer =
          [on_answer = on_answer_](std::string_view target, int status) {
            if (on_answer) on_answer(EndpointOf(target), status);
          }};
}

Result<std::unique_ptr<Server>> Server::OnSocket(const httpd::UnixSocketSettings& settings,
                                                 Sources sources, httpd::ServerLimits limits) {
  FEDRA_ASSIGN_OR_RETURN(httpd::UnixSocket socket, httpd::UnixSocket::Make(settings));
  std::unique_ptr<Server> server(new Server(std::move(sources), limits));
  server->socket_.emplace(std::move(socket));
  FEDRA_RETURN_IF_ERROR(server->listener_.Adopt(server->socket_->Release()));
  log::Info("the API is served", {{"socket", settings.path}});
  if (!server->socket_->warning().empty())
    log::Info("only this user may use the API", {{"reason", server->socket_->warning()}});
  return server;
}

Result<std::unique_ptr<Server>> Server::OnReceived(int socket, Sources sources,
                                                   httpd::ServerLimits limits) {
  std::unique_ptr<Server> server(new Server(std::move(sources), limits));
  FEDRA_RETURN_IF_ERROR(server->listener_.Adopt(socket));
  log::Info("the API is served", {{"socket", "received from systemd"}});
  return server;
}

}  // namespace fedra::api
