#include "manager/api/answer_threads.h"

#include <utility>

namespace fedra::api {

void AnswerThreads::Submit(const std::string& whose, std::function<void()> work) {
  turns_.Submit(whose, std::move(work));
}

void AnswerThreads::SubmitCheck(const std::string& whose, std::function<void()> work) {
  checks_.Submit(whose, std::move(work));
}

void AnswerThreads::End(httpd::Listener& listener) {
  listener.Stop();
  threads_.loop.Flush();
  threads_.pool.Stop();
  checking_.Stop();
}

}  // namespace fedra::api
