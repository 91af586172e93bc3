#pragma once
//
// A stream of the daemon's, passed on to a browser as it comes; it ends with either of the two.
//
// Thread rules: the loop's thread. Lifetime: the loop must outlive it; the client until Leave.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cluster-clients/http/client.h"
#include "cluster-clients/http/loop.h"
#include "manager/http/message.h"

namespace fedra::dashboard {

class Relay final : public std::enable_shared_from_this<Relay> {
 public:
  Relay(http::HttpLoop& loop, http::Client& client) : loop_(loop), client_(&client) {}

  // `done`: once, with an answer that goes on, or with what `refused` makes of the daemon's reply.
  void Start(http::Request request, std::function<void(httpd::Answer)> done,
             std::function<httpd::Answer(http::Reply)> refused);
  // The client is not used any more.
  void Leave() { client_ = nullptr; }

 private:
  // Of an answer that goes on: where it is dropped before it was taken, the stream is ended.
  class Offer;

  void OnOpen(int status);
  void OnData(std::string_view bytes);
  void OnEnd(http::Reply reply);
  void Take(std::shared_ptr<httpd::Sink> sink);
  void Cancel();
  void Watch();
  void PassOn();

  http::HttpLoop& loop_;
  http::Client* client_;                     // null: left
  std::function<void(httpd::Answer)> done_;  // null: it was called
  std::function<httpd::Answer(http::Reply)> refused_;
  http::Client::TransferId transfer_ = 0;
  std::shared_ptr<httpd::Sink> sink_;  // null: the browser does not have the head yet
  std::string waiting_;                // what it has not been sent
  bool has_ended_ = false;             // the daemon's
};

}  // namespace fedra::dashboard
