#include "tests/sim/engine.h"

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>

namespace fedra::sim {

struct Engine::Loop {
  boost::asio::io_context context{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{
      context.get_executor()};
};

Engine::Engine(size_t threads) {
  for (size_t i = 0; i < std::max<size_t>(threads, 1); ++i) {
    loops_.push_back(std::make_unique<Loop>());
  }
  for (auto& loop : loops_) {
    threads_.emplace_back([&context = loop->context] { context.run(); });
  }
}

Engine::~Engine() {
  for (auto& loop : loops_) loop->context.stop();
  for (auto& thread : threads_) thread.join();
}

boost::asio::io_context& Engine::NextLoop() {
  return loops_[next_.fetch_add(1) % loops_.size()]->context;
}

}  // namespace fedra::sim
