#include "manager/api/answer_threads.h"

#include <utility>

namespace fedra::api {

void AnswerThreads::Submit(const std::string& whose, std::function<void()> work) {
  turns_.Submit(whose, std::move(work));
}

void AnswerThreads::SubmitCheck(const std::string& whose, std::function<void()> work) {
  checks_.Submit(whose, std::move(work));
}

}  // namespace fedra::api
