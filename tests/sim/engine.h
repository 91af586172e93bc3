#pragma once
//
// The threads that all simulated clusters of one process run on.
//
// Every cluster is bound to one of the loops for its whole life: its connections, its timers and
// its actors run on that one thread, so two clusters never wait for each other longer than one
// handler takes.
//
// Thread rules: any thread.
// Lifetime: servers hold their engine by shared_ptr; the threads end with the last of them.

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

namespace fedra::sim {

class Engine final {
 public:
  // At least one thread.
  explicit Engine(size_t threads = 1);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // The loop for the next cluster, in turn.
  boost::asio::io_context& NextLoop();

 private:
  struct Loop;

  std::vector<std::unique_ptr<Loop>> loops_;
  std::vector<std::thread> threads_;
  std::atomic<size_t> next_ = 0;
};

}  // namespace fedra::sim
