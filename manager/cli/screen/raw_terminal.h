#pragma once
//
// The terminal of this process as a screen: keys come as they are pressed and are not shown, what
// is drawn is on the alternate screen, and signals come as values. However the process ends, but by
// SIGKILL or a fault of its own memory, the terminal is given back as it was.
//
// Sequences: xterm's ctlseqs (DECSET 1049, 25, 7); termios: POSIX. Nothing is looked up in
// terminfo: what has a $TERM that is not "dumb" knows these.
//
// Thread rules: one at a time, since signals are the process's; one thread.

#include <signal.h>
#include <termios.h>

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "manager/cli/screen/frame.h"

namespace fedra::cli::screen {

class RawTerminal final {
 public:
  // Whether standard input and output are terminals.
  static bool IsPossible();

  // Enters the screen. `out` writes to standard output and must outlive this.
  explicit RawTerminal(std::ostream& out);
  // Leaves it.
  ~RawTerminal();
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

  // 80 x 24 of a terminal that does not say.
  static Size SizeNow();

  // What has happened. Waits for keys, signals and `fd`, at most so long.
  struct Input {
    std::string bytes;         // of keys
    std::vector<int> signals;  // SIGWINCH, SIGCONT, SIGTSTP, SIGINT, SIGTERM, SIGHUP, SIGQUIT
    bool is_closed = false;    // the terminal has gone
    bool is_quiet = false;     // nothing has happened all the time
  };
  Input Wait(int fd, int milliseconds);

  void Enter();
  void Leave();
  // As the shell expects it of ctrl-z: leaves the screen, stops, and enters it again.
  void Suspend();

 private:
  void Write(std::string_view sequence);

  std::ostream& out_;
  std::optional<termios> before_;  // null: not entered, or the terminal does not tell
  bool is_entered_ = false;
};

}  // namespace fedra::cli::screen
