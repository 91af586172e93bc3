#include "manager/cli/terminal/checked_output.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <string>
#include <system_error>

#include <fmt/format.h>

namespace fedra::cli {

CheckedOutput::CheckedOutput(std::ostream& stream) : stream_(stream), sink_(stream.rdbuf(this)) {}

CheckedOutput::~CheckedOutput() { stream_.rdbuf(sink_); }

int CheckedOutput::Finish() {
  stream_.flush();
  return error_;
}

// A buffer that fails without an errno did not come to a system call.
void CheckedOutput::Failed() {
  if (error_ == 0) error_ = errno != 0 ? errno : EIO;
}

CheckedOutput::int_type CheckedOutput::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  errno = 0;
  const int_type written = sink_->sputc(traits_type::to_char_type(c));
  if (traits_type::eq_int_type(written, traits_type::eof())) Failed();
  return written;
}

std::streamsize CheckedOutput::xsputn(const char* text, std::streamsize size) {
  errno = 0;
  const std::streamsize written = sink_->sputn(text, size);
  if (written < size) Failed();
  return written;
}

int CheckedOutput::sync() {
  errno = 0;
  const int synced = sink_->pubsync();
  if (synced != 0) Failed();
  return synced;
}

int Conclude(CheckedOutput& output, const std::string& command, int code) {
  const int error = output.Finish();
  if (error == 0) return code;
  if (error != EPIPE) {
    std::cerr << fmt::format("{}: cannot write the output: {}\n", command,
                             std::generic_category().message(error));
  }
  return 1;
}

bool WaitWhileRead(int milliseconds) {
  pollfd output{.fd = STDOUT_FILENO, .events = 0, .revents = 0};
  poll(&output, 1, milliseconds);
  return (output.revents & (POLLERR | POLLHUP)) == 0;
}

void OccupyStandardFiles() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(number, F_GETFD) != -1) continue;
    // The lowest free number is this one. The other way round, so that using it is an error.
    const int opened = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (opened != number && opened >= 0) close(opened);
  }
}

}  // namespace fedra::cli
