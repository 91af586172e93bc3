#pragma once
//
// A stream whose first failure is remembered with its cause, which std::ostream forgets: a full
// disk must not pass for success.
//
// Thread rules: one thread at a time, that of the stream.

#include <ostream>
#include <streambuf>
#include <string>

namespace fedra::cli {

// Stands between `stream` and its buffer for as long as it lives.
class CheckedOutput final : public std::streambuf {
 public:
  explicit CheckedOutput(std::ostream& stream);
  ~CheckedOutput() override;
  CheckedOutput(const CheckedOutput&) = delete;
  CheckedOutput& operator=(const CheckedOutput&) = delete;

  // Writes what is left. 0: everything could be written; else errno of the first failure.
  int Finish();

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

 private:
  void Failed();

  std::ostream& stream_;
  std::streambuf* const sink_;
  int error_ = 0;
};

// Of the end of a command with exit code `code`: flushes, and says on standard error what could not
// be written; then the exit code is 1. A reader that has closed its pipe (EPIPE) has what it
// wanted: nothing is said.
int Conclude(CheckedOutput& output, const std::string& command, int code);

// Waits; false: standard output has no reader any more (its pipe or terminal is closed).
bool WaitWhileRead(int milliseconds);

// Opens standard input, output and error where the caller closed them, so that no other file gets
// their number; reading or writing them still fails. Call before anything opens a file.
void OccupyStandardFiles();

}  // namespace fedra::cli
