#pragma once
//
// One request and its answer, whatever the version of HTTP: who asks, what the faults make of it,
// and the answer part by part, as fast as it is taken.
//
// Thread rules: the cluster's loop.
// Lifetime: the protocol holds it, and closes it when the answer is complete or the client has gone
// before. Timers and watches know it weakly. `wake` is called from the loop, and not after Close().

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tests/sim/api/api.h"
#include "tests/sim/core.h"
#include "tests/sim/http/message.h"

namespace fedra::sim {

// Who is at the other end of a connection.
struct Peer {
  // The common name of its certificate, which the cluster's CA has signed; nothing: it has none.
  std::optional<std::string> certificate_name;
};

class Exchange final : public std::enable_shared_from_this<Exchange> {
 public:
  Exchange(std::shared_ptr<Core> core, std::function<void()> wake);

  // Does what is asked. Once.
  void Begin(HttpRequest request, const Peer& peer);
  // The next part of the answer; of one that is not there yet kNothing, and `wake` follows. Not to
  // be called after the last one or kCut.
  AnswerPart Next();
  void Close();

 private:
  using Parts = std::function<AnswerPart()>;

  std::shared_ptr<const User> Authenticate(const HttpRequest& request, const Peer& peer,
                                           bool& rejected) const;
  ApiReply ReplyTo(const ApiRequest& request, bool rejected, bool too_large,
                   const std::optional<InjectedAnswer>& injected) const;
  void Answer(ApiReply reply, const std::optional<InjectedAnswer>& injected);
  Parts Watch(WatchPlan plan);
  AnswerHead HeadOf(const ApiReply& reply) const;
  Parts Whole(ApiReply reply) const;
  void Rest();
  void Wake();

  const std::shared_ptr<Core> core_;
  std::function<void()> wake_;
  boost::asio::steady_timer delay_;
  Parts parts_;  // empty: there is no answer yet
  // Between two parts.
  std::chrono::milliseconds pause_{0};
  bool resting_ = false;
  bool rested_ = false;
};

}  // namespace fedra::sim
