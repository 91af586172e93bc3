#include "manager/cli/screen/fetcher.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/clock.h"
#include "base/out_of_memory.h"

namespace fedra::cli::screen {
namespace {

// So that asking takes at most a fifth of one core, here or at the daemon.
constexpr int kPausesPerAnswer = 4;

}  // namespace

Fetcher::Fetcher(Source source, bool utf8)
    : source_(std::move(source)),
      utf8_(utf8),
      event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      thread_(StartThread([this] { Run(); })) {}

Fetcher::~Fetcher() {
  state_.With([](State& state) { state.stops = true; });
  state_.Notify();
  source_.cancel();
  thread_.join();
  if (event_ >= 0) close(event_);
}

void Fetcher::Want(const std::optional<Question>& question) {
  state_.With([&](State& state) { state.wanted = question; });
  state_.Notify();
}

std::vector<Answer> Fetcher::Take() {
  uint64_t count = 0;
  // Nothing to read is no error: it is called by time, too.
  if (event_ >= 0 && read(event_, &count, sizeof count) < 0) count = 0;
  return state_.With([](State& state) { return std::exchange(state.answers, {}); });
}

void Fetcher::Run() {
  while (const std::optional<Question> question = NextQuestion()) {
    const SteadyTime began = SystemClock().Steady();
    Answer answer = Ask(*question);
    state_.With([&](State& state) { state.answers.push_back(std::move(answer)); });
    Tell();
    const auto took =
        std::chrono::duration_cast<std::chrono::milliseconds>(SystemClock().Steady() - began);
    Pause(*question, std::max(source_.pause, took * kPausesPerAnswer));
  }
}

// It fails only where the event is readable already, or is none.
void Fetcher::Tell() const {
  constexpr uint64_t kOne = 1;
  if (write(event_, &kOne, sizeof kOne) < 0) return;
}

std::optional<Question> Fetcher::NextQuestion() {
  return state_.Wait([](const State& state) { return state.stops || state.wanted; },
                     [](const State& state) { return state.stops ? std::nullopt : state.wanted; });
}

Answer Fetcher::Ask(const Question& question) const {
  Answer answer{question, {}, std::shared_ptr<const Document>()};
  const Result<text::Output> output = source_.ask(question);
  answer.at = SystemClock().Now();
  if (!output) {
    answer.document = Fail(output.error());
    return answer;
  }
  Result<Document> document = ReadDocument(question, *output, answer.at, utf8_);
  if (document) {
    answer.document = std::make_shared<const Document>(*std::move(document));
  } else {
    answer.document = Fail(std::move(document).error());
  }
  return answer;
}

void Fetcher::Pause(const Question& asked, std::chrono::milliseconds pause) {
  state_.WaitFor(
      pause, [&](const State& state) { return state.stops || !(state.wanted == asked); },
      [](const State&) {});
}

}  // namespace fedra::cli::screen
