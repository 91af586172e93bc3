#pragma once
//
// The threads of one server of the API: an io loop that reads and writes, those that answer, and
// one that checks. Judging manifests takes seconds, so nothing else waits for it.
//
// Thread rules: Submit and SubmitCheck from any thread, also from what was submitted; the rest from
// one. Lifetime: what is submitted may use what its server has until End returns.

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include "base/worker_pool.h"
#include "cluster-clients/threads.h"
#include "manager/http/listener.h"
#include "manager/http/turns.h"

namespace fedra::api {

class AnswerThreads final {
 public:
  explicit AnswerThreads(size_t answering) : threads_(answering) {}

  http::HttpLoop& loop() { return threads_.loop; }

  // In turn by whom it is for.
  void Submit(const std::string& whose, std::function<void()> work) {
    turns_.Submit(whose, std::move(work));
  }
  // The same, one piece at a time.
  void SubmitCheck(const std::string& whose, std::function<void()> work) {
    checks_.Submit(whose, std::move(work));
  }

  // Stops first the listener that submits, and then the pools, while all that either uses is still
  // there: what runs may submit more, and is waited for; what waits is dropped. Streams, which
  // submit too, end before.
  void End(httpd::Listener& listener) {
    listener.Stop();
    threads_.loop.Flush();
    threads_.pool.Stop();
    checking_.Stop();
  }

 private:
  Threads threads_;
  WorkerPool checking_{1};
  httpd::Turns turns_{threads_.pool};
  httpd::Turns checks_{checking_};
};

}  // namespace fedra::api
