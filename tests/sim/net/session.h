#pragma once
//
// One TLS connection: HTTP/1.1 with keep-alive, one request at a time, watches as chunked answers.
// Faults take effect here, between the API and the wire.
//
// Thread rules: everything runs on the cluster's loop, but OnChange, which any thread may call.
// Lifetime: keeps itself alive while anything is outstanding or held up by the fault `hang`;
// Close() ends that.

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "tests/sim/api/api.h"
#include "tests/sim/core.h"
#include "tests/sim/net/hostile.h"

namespace fedra::sim {

class Session final : public Observer, public std::enable_shared_from_this<Session> {
 public:
  Session(std::shared_ptr<Core> core, std::shared_ptr<boost::asio::ssl::context> tls,
          boost::asio::ip::tcp::socket socket);
  ~Session() override;

  void Start();
  // Resets the connection.
  void Close();
  bool closed() const { return closed_; }
  // The faults changed: goes on where a fault held it up.
  void Resume();

  void OnChange(const Store& store, const ResourceType& type, const Event& event) override;

 private:
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

  // A watch in progress.
  struct Stream {
    WatchPlan plan;
    WatchCursor cursor;
    size_t sent = 0;       // events
    bool initial = true;   // what existed at the beginning is still being sent
    bool spoiled = false;  // garbage has been sent
    bool bookmark_due = false;
  };

  std::chrono::seconds ClockAhead() const;
  void Hold();
  void Handshake();
  void ReadMore();
  void Parse();
  void OnRequest();
  void Answer(const ApiRequest& request);
  void Send(const ApiReply& reply, const std::optional<InjectedAnswer>& injected);
  void Write(std::string bytes, bool last);
  void OnWritten(bool last);

  void SendHostile();

  void BeginStream(WatchPlan plan);
  void StreamMore();
  void EndStream(const std::string& last_lines);
  void ArmBookmark();

  ApiRequest TakeRequest();
  std::shared_ptr<const User> Authenticate(bool& rejected) const;

  const std::shared_ptr<Core> core_;
  const std::shared_ptr<boost::asio::ssl::context> tls_;
  boost::asio::ssl::stream<boost::asio::ip::tcp::socket> stream_;
  boost::asio::steady_timer delay_;
  boost::asio::steady_timer deadline_;
  boost::asio::steady_timer bookmark_;
  boost::beast::flat_buffer input_;
  std::optional<Parser> parser_;
  std::string output_;
  std::optional<Stream> watch_;
  std::optional<HostileAnswer> hostile_;

  bool closed_ = false;
  bool shaken_ = false;   // the handshake is done
  bool reading_ = false;  // a read is outstanding
  bool writing_ = false;  // a write is outstanding
  bool busy_ = false;     // a request is being answered
  // Itself, while something waits for the fault `hang` to end: with nothing outstanding the session
  // would be destroyed, and its peer would see a reset instead of silence.
  std::shared_ptr<Session> held_;
  std::atomic<bool> woken_{false};
  std::atomic<const ResourceType*> watched_{nullptr};
};

}  // namespace fedra::sim
