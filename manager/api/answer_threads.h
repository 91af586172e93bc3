#pragma once
//
// The threads of one server of the API: an io loop that reads and writes, those that answer, and
// one that checks. Judging manifests takes seconds, so nothing else waits for it.
//
// Thread rules: any thread, also from what was submitted.

#include <cstddef>
#include <functional>
#include <string>

#include "base/worker_pool.h"
#include "cluster-clients/threads.h"
#include "manager/http/turns.h"

namespace fedra::api {

class AnswerThreads final {
 public:
  explicit AnswerThreads(size_t answering) : threads_(answering) {}

  http::HttpLoop& loop() { return threads_.loop; }

  // In turn by whom it is for.
  void Submit(const std::string& whose, std::function<void()> work);
  // The same, one piece at a time.
  void SubmitCheck(const std::string& whose, std::function<void()> work);

 private:
  Threads threads_;
  WorkerPool checking_{1};
  httpd::Turns turns_{threads_.pool};
  httpd::Turns checks_{checking_};
};

}  // namespace fedra::api
