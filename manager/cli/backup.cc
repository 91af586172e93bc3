// fedra backup.

#include <unistd.h>

#include <array>
#include <fstream>
#include <ostream>

#include <fmt/format.h>

#include "manager/cli/commands.h"
#include "store/backup.h"

namespace fedra::cli {
namespace {

// What to do about it; empty: the message says it.
std::string HintFor(ErrorCode code) {
  return code == ErrorCode::kAlreadyExists
             ? "; a backup overwrites nothing: give another name, or remove that file first"
             : "";
}

int Failed(const Error& error, Terminal& terminal) {
  terminal.err << fmt::format("fedra backup: {}{}\n", error.message, HintFor(error.code));
  return kFailed;
}

// SQLite writes to files only. The one place in a container that surely has room for the store is
// beside it; the copy has no name any more while it is printed.
int ToStandardOutput(const std::string& store, Terminal& terminal) {
  if (terminal.out_is_tty) {
    terminal.err << "fedra backup: standard output is a terminal; send it to a file\n";
    return kFailed;
  }
  const std::string copy = fmt::format("{}.backup-{}", store, getpid());
  if (const Result<void> copied = store::BackupStore(store, copy); !copied)
    return Failed(copied.error(), terminal);
  std::ifstream in(copy, std::ios::binary);
  unlink(copy.c_str());
  std::array<char, 64 * 1024> piece{};
  while (terminal.out && (in.read(piece.data(), piece.size()) || in.gcount() > 0))
    terminal.out.write(piece.data(), in.gcount());
  if (!in.eof() && terminal.out) {
    terminal.err << fmt::format("fedra backup: {} cannot be read\n", copy);
    return kFailed;
  }
  if (!terminal.out.flush()) return kFailed;  // the command line says why
  terminal.err << fmt::format("standard output is a copy of {}\n", store);
  return 0;
}

}  // namespace

int Backup(const std::string& store, const std::string& target, Terminal& terminal) {
  if (target == "-") return ToStandardOutput(store, terminal);
  if (const Result<void> copied = store::BackupStore(store, target); !copied)
    return Failed(copied.error(), terminal);
  terminal.err << fmt::format("{} is a copy of {}\n", target, store);
  return 0;
}

}  // namespace fedra::cli
