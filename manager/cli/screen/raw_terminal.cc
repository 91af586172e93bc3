#include "manager/cli/screen/raw_terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <iterator>
#include <ostream>

namespace fedra::cli::screen {
namespace {

// Alternate screen, cursor hidden, no line broken by the terminal; and cleared.
constexpr std::string_view kEnterScreen = "\033[?1049h\033[?25l\033[?7l\033[0m\033[2J";
// An array, since a handler of signals writes it, too.
constexpr char kLeaveScreen[] = "\033[0m\033[?7h\033[?25h\033[?1049l";

constexpr int kValues[] = {SIGWINCH, SIGCONT, SIGTSTP, SIGINT, SIGTERM, SIGHUP, SIGQUIT};

// What the handlers need, which may touch nothing else: a pipe to the screen's thread, and how the
// terminal was. Set before the handlers are.
int signal_pipe[2] = {-1, -1};
termios terminal_before;
bool is_terminal_known = false;
struct sigaction actions_before[std::size(kValues)];
struct sigaction abort_before;

void TellSignal(int number) {
  const int error = errno;
  const auto byte = static_cast<unsigned char>(number);
  // A full pipe has enough to tell.
  [[maybe_unused]] const ssize_t written = write(signal_pipe[1], &byte, 1);
  errno = error;
}

// A broken invariant: its message is on standard error already, and the shell must be usable.
void RestoreAndAbort(int number) {
  [[maybe_unused]] const ssize_t written =
      write(STDOUT_FILENO, kLeaveScreen, sizeof kLeaveScreen - 1);
  if (is_terminal_known) tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal_before);
  sigaction(SIGABRT, &abort_before, nullptr);
  raise(number);
}

void Handle(int number, void (*handler)(int), struct sigaction& before) {
  struct sigaction action{};
  sigemptyset(&action.sa_mask);
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(number, nullptr, &before);
  // What the caller ignores, as nohup does, stays ignored.
  if (before.sa_handler != SIG_IGN || number == SIGWINCH) sigaction(number, &action, nullptr);
}

// Of what is typed: no lines, no echo, no flow control, no quoting. ctrl-c, ctrl-z and ctrl-\ go on
// making signals.
termios RawOf(const termios& before) {
  termios raw = before;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | IEXTEN);
  raw.c_iflag &= ~static_cast<tcflag_t>(IXON | ICRNL | INLCR | ISTRIP);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  return raw;
}

}  // namespace

bool RawTerminal::IsPossible() { return isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1; }

Size RawTerminal::SizeNow() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
    return {};
  return {size.ws_col, size.ws_row};
}

RawTerminal::RawTerminal(std::ostream& out) : out_(out) {
  if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK) != 0) signal_pipe[0] = signal_pipe[1] = -1;
  is_terminal_known = tcgetattr(STDIN_FILENO, &terminal_before) == 0;
  if (is_terminal_known) before_ = terminal_before;
  for (size_t i = 0; i < std::size(kValues); ++i) Handle(kValues[i], TellSignal, actions_before[i]);
  Handle(SIGABRT, RestoreAndAbort, abort_before);
  Enter();
}

RawTerminal::~RawTerminal() {
  Leave();
  for (size_t i = 0; i < std::size(kValues); ++i)
    sigaction(kValues[i], &actions_before[i], nullptr);
  sigaction(SIGABRT, &abort_before, nullptr);
  for (int& end : signal_pipe) {
    if (end >= 0) close(end);
    end = -1;
  }
}

void RawTerminal::Enter() {
  is_entered_ = true;
  if (before_) {
    const termios raw = RawOf(*before_);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
  }
  Write(kEnterScreen);
}

void RawTerminal::Leave() {
  if (!is_entered_) return;
  is_entered_ = false;
  Write(kLeaveScreen);
  if (before_) tcsetattr(STDIN_FILENO, TCSADRAIN, &*before_);
}

void RawTerminal::Suspend() {
  Leave();
  struct sigaction handler{};
  struct sigaction usual{};
  sigemptyset(&usual.sa_mask);
  usual.sa_handler = SIG_DFL;
  sigaction(SIGTSTP, &usual, &handler);
  raise(SIGTSTP);  // returns when the shell lets it go on
  sigaction(SIGTSTP, &handler, nullptr);
  Enter();
}

RawTerminal::Input RawTerminal::Wait(int fd, int milliseconds) {
  std::array<pollfd, 3> files = {{{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0},
                                  {.fd = signal_pipe[0], .events = POLLIN, .revents = 0},
                                  {.fd = fd, .events = POLLIN, .revents = 0}}};
  Input input;
  const int ready = poll(files.data(), files.size(), milliseconds);
  input.is_quiet = ready == 0;
  std::array<char, 1024> bytes{};
  if (ready > 0 && files[0].revents != 0) {
    const ssize_t size = read(STDIN_FILENO, bytes.data(), bytes.size());
    if (size > 0) input.bytes.assign(bytes.data(), static_cast<size_t>(size));
    input.is_closed = size == 0 || (size < 0 && errno != EINTR && errno != EAGAIN);
  }
  // Also when a signal has ended the wait: the pipe does not block.
  const ssize_t size = read(signal_pipe[0], bytes.data(), bytes.size());
  for (ssize_t i = 0; i < size; ++i) input.signals.push_back(bytes[static_cast<size_t>(i)]);
  return input;
}

void RawTerminal::Write(std::string_view sequence) { out_ << sequence << std::flush; }

}  // namespace fedra::cli::screen
