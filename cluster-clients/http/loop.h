#pragma once
//
// The io loop: one thread that runs every network event and timer of the process.
//
// Handlers must be a few lines long: no JSON, no files, no waiting. A handler with more to do hands
// it to a WorkerPool. Code that needs Boost.Asio itself (a listening socket, signals) takes the
// context from loop_asio.h.
//
// Thread rules: every function may be called from any thread.
// Lifetime: must outlive everything that was given a reference to it. Stop() (also run by the
// destructor) ends the thread; what was still queued is dropped.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

namespace fedra::http {

class HttpLoop final {
 public:
  HttpLoop();
  ~HttpLoop();
  HttpLoop(const HttpLoop&) = delete;
  HttpLoop& operator=(const HttpLoop&) = delete;

  // Runs `task` on the loop's thread, after everything that was posted before. Must not throw.
  void Post(std::function<void()> task);
  // The same, not before `delay` is over.
  void After(std::chrono::milliseconds delay, std::function<void()> task);

  // Waits until everything that was posted before has run. Returns at once when the loop has ended.
  void Flush();

  void Stop();

  class Impl;
  Impl& impl() { return *impl_; }  // for loop_asio.h

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace fedra::http
