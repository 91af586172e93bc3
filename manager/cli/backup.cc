// fedra backup.

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

}  // namespace

int Backup(const std::string& store, const std::string& target, Terminal& terminal) {
  if (const Result<void> copied = store::BackupStore(store, target); !copied) {
    const Error& error = copied.error();
    terminal.err << fmt::format("fedra backup: {}{}\n", error.message, HintFor(error.code));
    return 1;
  }
  terminal.err << fmt::format("{} is a copy of {}\n", target, store);
  return 0;
}

}  // namespace fedra::cli
