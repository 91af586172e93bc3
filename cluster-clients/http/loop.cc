#include "cluster-clients/http/loop.h"

#include <algorithm>
#include <csignal>
#include <list>
#include <thread>
#include <utility>

#include <curl/curl.h>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/assert.h"
#include "base/guarded.h"
#include "base/out_of_memory.h"
#include "cluster-clients/http/loop_asio.h"

namespace fedra::http {
namespace {

// Clients that may be opening their first connection at the same time.
constexpr size_t kConnecting = 50;

// OpenSSL writes to sockets that the peer has closed; the signal would end the process.
void BlockSigpipe() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

}  // namespace

class HttpLoop::Impl final {
 public:
  Impl() : work_(boost::asio::make_work_guard(context_)), limiter_(kConnecting) {
    static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
    FEDRA_ASSERT(initialised == CURLE_OK, "libcurl can be initialised");
    thread_ = StartThread([this] {
      BlockSigpipe();
      context_.run();
    });
    thread_id_ = thread_.get_id();
  }

  ~Impl() {
    Stop();
    BlockSigpipe();  // what is left in the context may still close connections
  }

  void Stop() {
    context_.stop();
    if (thread_.joinable()) thread_.join();
    flushed_.With([](Flushed& flushed) { flushed.ended = true; });
    flushed_.Notify();
  }

  void Flush() {
    FEDRA_ASSERT(!InThread(), "the io loop does not wait for itself");
    const uint64_t mine = flushed_.With([](Flushed& flushed) { return ++flushed.asked; });
    boost::asio::post(context_, [this, mine] {
      flushed_.With([mine](Flushed& flushed) { flushed.done = std::max(flushed.done, mine); });
      flushed_.Notify();
    });
    flushed_.Wait([mine](const Flushed& flushed) { return flushed.ended || flushed.done >= mine; },
                  [](const Flushed&) {});
  }

  void After(std::chrono::milliseconds delay, std::function<void()> task) {
    const auto when = std::chrono::steady_clock::now() + delay;
    boost::asio::post(context_, [this, when, task = std::move(task)]() mutable {
      const auto timer = timers_.emplace(timers_.end(), context_);
      timer->expires_at(when);
      timer->async_wait([this, timer, task = std::move(task)](const auto& error) {
        if (error) return;
        timers_.erase(timer);
        task();
      });
    });
  }

  bool InThread() const { return std::this_thread::get_id() == thread_id_; }

  boost::asio::io_context& context() { return context_; }
  ConnectLimiter& limiter() { return limiter_; }

 private:
  struct Flushed {
    uint64_t asked = 0;
    uint64_t done = 0;
    bool ended = false;
  };

  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::thread thread_;
  std::thread::id thread_id_;  // constant after construction

  Guarded<Flushed> flushed_;

  // io loop thread only.
  std::list<boost::asio::steady_timer> timers_;
  ConnectLimiter limiter_;
};

HttpLoop::HttpLoop() : impl_(std::make_unique<Impl>()) {}
HttpLoop::~HttpLoop() = default;

void HttpLoop::Post(std::function<void()> task) {
  boost::asio::post(impl_->context(), std::move(task));
}
void HttpLoop::After(std::chrono::milliseconds delay, std::function<void()> task) {
  impl_->After(delay, std::move(task));
}
void HttpLoop::Flush() { impl_->Flush(); }
void HttpLoop::Stop() { impl_->Stop(); }

boost::asio::io_context& Context(HttpLoop& loop) { return loop.impl().context(); }
ConnectLimiter& Limiter(HttpLoop& loop) { return loop.impl().limiter(); }

}  // namespace fedra::http
