#pragma once
//
// A libcurl multi handle driven by the io loop. Internal to http/.
//
// libcurl tells which sockets it waits for and when it wants to be called; Boost.Asio does the
// waiting, on descriptors of its own (dup), because libcurl 7.88 closes some sockets before it says
// so.
//
// Thread rules: io loop thread only.
// Lifetime: owned by a shared_ptr, because waits that are under way refer to it. Easy handles must
// be removed before Close(). `on_done` runs outside of every libcurl callback, with the handle
// already removed.

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>

#include <curl/curl.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/clock.h"

namespace fedra::http {

class Multi final : public std::enable_shared_from_this<Multi> {
 public:
  using OnDone = std::function<void(CURL* easy, CURLcode code)>;

  // How many connections to the server libcurl may open and keep.
  struct Limits {
    long open = 0;
    long kept = 0;
  };

  Multi(boost::asio::io_context& context, OnDone on_done);
  ~Multi();
  Multi(const Multi&) = delete;
  Multi& operator=(const Multi&) = delete;

  void SetLimits(Limits limits);
  void Add(CURL* easy);
  void Remove(CURL* easy);
  // Closes all connections; nothing is called any more.
  void Close();

 private:
  struct Socket;
  static constexpr SteadyTime kNever = SteadyTime::max();

  static int OnSocket(CURL* easy, curl_socket_t socket, int what, void* self, void* unused);
  static int OnTimer(CURLM* multi, long timeout_ms, void* self);

  void Watch(curl_socket_t socket, int what);
  void Forget(curl_socket_t socket);
  void Arm(const std::shared_ptr<Socket>& socket);
  void Wait(const std::shared_ptr<Socket>& socket, bool reading);
  void SetTimer(long timeout_ms);
  void ArmTimer();
  bool ActWhenDue();  // false: it is too early
  void Act(curl_socket_t socket, int events);

  boost::asio::io_context& context_;
  const OnDone on_done_;
  CURLM* multi_;
  boost::asio::steady_timer timer_;
  SteadyTime due_ = kNever;    // when libcurl wants to be called
  SteadyTime armed_ = kNever;  // when `timer_` ends; never later than `due_`, unless that is now
  std::unordered_map<curl_socket_t, std::shared_ptr<Socket>> sockets_;
};

}  // namespace fedra::http
