// fedra backup.

#include <ostream>

#include <fmt/format.h>

#include "manager/cli/commands.h"
#include "store/backup.h"

namespace fedra::cli {

int Backup(const std::string& store, const std::string& target, Terminal& terminal) {
  if (const Result<void> copied = store::BackupStore(store, target); !copied) {
    terminal.err << fmt::format("fedra backup: {}\n", copied.error().message);
    return 1;
  }
  terminal.err << fmt::format("{} is a copy of {}\n", target, store);
  return 0;
}

}  // namespace fedra::cli
