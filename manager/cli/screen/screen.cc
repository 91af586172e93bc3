#include "manager/cli/screen/screen.h"

#include <csignal>
#include <optional>
#include <ostream>
#include <utility>

#include "base/clock.h"
#include "manager/cli/screen/open.h"
#include "manager/cli/screen/raw_terminal.h"
#include "manager/cli/screen/render.h"
#include "manager/cli/screen/update.h"

namespace fedra::cli::screen {
namespace {

// Ages are shown in seconds.
constexpr int kTickMilliseconds = 1'000;
// A terminal sends what belongs to one key at once; over a slow line some milliseconds later.
constexpr int kEscapeMilliseconds = 50;

// The loop: what happens makes another model, and what differs of its frame is written.
class Loop final {
 public:
  Loop(const Settings& settings, Source source, std::ostream& out)
      : settings_(settings), out_(out), fetcher_(std::move(source), settings.utf8) {
    terminal_.emplace(out);
    model_.utf8 = settings.utf8;
    model_.scope = settings.scope;
    model_.size = RawTerminal::SizeNow();
    model_.now = SystemClock().Now();
    OpenFirst(model_, settings.first);
  }

  // The signal that ends it; 0: none. The terminal is as it was then, while an answer that is still
  // due may let this object live on.
  int Run() {
    while (!model_.ends && signal_ == 0 && out_) {
      fetcher_.Want(Wanted(model_));
      Draw();
      const RawTerminal::Input input = terminal_->Wait(
          fetcher_.fd(), decoder_.IsWaiting() ? kEscapeMilliseconds : kTickMilliseconds);
      Happen(SystemClock().Now());
      for (const int signal : input.signals) Signalled(signal);
      Typed(input);
      for (const Answer& answer : fetcher_.Take()) Happen(answer);
      model_.ends = model_.ends || input.is_closed;
    }
    terminal_.reset();
    return signal_;
  }

 private:
  void Happen(const Event& event) {
    model_ = Update(std::move(model_), event);
    if (model_.redraw) shown_.clear();
  }

  void Typed(const RawTerminal::Input& input) {
    const std::vector<Key> keys = input.is_quiet ? decoder_.Flush() : decoder_.Feed(input.bytes);
    for (const Key& key : keys)
      if (!model_.ends) Happen(key);
  }

  void Signalled(int signal) {
    switch (signal) {
      case SIGWINCH:
        Happen(RawTerminal::SizeNow());
        break;
      case SIGCONT:  // after a stop that we could not see coming
        terminal_->Enter();
        Happen(RawTerminal::SizeNow());
        break;
      case SIGTSTP:
        terminal_->Suspend();
        break;
      default:
        signal_ = signal;
        return;
    }
    shown_.clear();
  }

  void Draw() {
    Frame frame = Render(model_);
    // What a frame of another size, or another program, has left here is cleared.
    if (shown_.empty()) out_ << "\033[0m\033[2J";
    out_ << Changes(shown_, frame, model_.size.width, settings_.color) << std::flush;
    shown_ = std::move(frame);
  }

  const Settings settings_;
  std::ostream& out_;
  Fetcher fetcher_;
  std::optional<RawTerminal> terminal_;
  KeyDecoder decoder_;
  Model model_;
  Frame shown_;     // what is on the terminal; empty: not known
  int signal_ = 0;  // that ends it
};

}  // namespace

bool IsPossible() { return RawTerminal::IsPossible(); }

void Show(const Settings& settings, Source source, std::ostream& out) {
  Loop loop(settings, std::move(source), out);
  const int signal = loop.Run();
  // The shell, and who sent it, see what they expect.
  if (signal != 0) raise(signal);
}

}  // namespace fedra::cli::screen
