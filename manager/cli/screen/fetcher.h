#pragma once
//
// Asks for what the screen shows, on a thread of its own, again and again: a slow answer delays no
// key.
//
// Thread rules: Want, Take and fd are for the thread of the screen. `ask` and `cancel` as said
// below.

#include <chrono>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "manager/cli/screen/model.h"
#include "manager/text/output.h"

namespace fedra::cli::screen {

struct Source {
  // On the fetcher's thread. May take long.
  std::function<Result<text::Output>(const Question& question)> ask;
  // On the screen's thread, at the end: what is being asked ends soon.
  std::function<void()> cancel = [] {};
  // Between an answer and the next question; longer where answers take long.
  std::chrono::milliseconds pause{500};
};

class Fetcher final {
 public:
  Fetcher(Source source, bool utf8);
  // Cancels, and waits for the thread.
  ~Fetcher();
  Fetcher(const Fetcher&) = delete;
  Fetcher& operator=(const Fetcher&) = delete;

  // What is asked from now on; null: nothing. The same question as before changes nothing.
  void Want(const std::optional<Question>& question);
  // What has been answered since the last call.
  std::vector<Answer> Take();
  // Readable when there is something to take.
  int fd() const { return event_; }

 private:
  struct State {
    std::optional<Question> wanted;
    std::vector<Answer> answers;
    bool stops = false;
  };

  void Run();
  void Tell() const;
  // Null: the end.
  std::optional<Question> NextQuestion();
  Answer Ask(const Question& question) const;
  // Until it is time to ask again, or something else is wanted.
  void Pause(const Question& asked, std::chrono::milliseconds pause);

  const Source source_;
  const bool utf8_;
  const int event_;  // an eventfd; -1: there are no descriptors left, and Take() is called by time
  Guarded<State> state_;
  std::thread thread_;  // the last member: everything else is there when it begins
};

}  // namespace fedra::cli::screen
