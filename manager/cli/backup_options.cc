// The options of `fedra backup`, which copies the store.

#include <CLI/CLI.hpp>

#include "manager/cli/subcommands.h"
#include "manager/cli/view_source.h"

namespace fedra::cli {

void AddBackup(CLI::App& app, Parsed& parsed, Command& command) {
  CLI::App* backup = app.add_subcommand("backup", "Copy the store, also while the daemon runs");
  backup->footer(
      "The copy is a complete store of one moment, for this user only (mode 0600). To go back to "
      "it, stop the daemon and put it in the place of the store's file, without the files beside "
      "it that end in -wal and -shm.\n\n"
      "From a pod, whose root cannot be written:\n"
      "  kubectl -n fedra-system exec fedra-0 -- /usr/bin/fedra backup - > fedra.db");
  backup->add_option("file", parsed.target, "Where to; must not exist yet; - for standard output")
      ->required()
      ->type_name("FILE");
  AddStore(*backup, parsed);
  backup->callback([&] {
    command = [&](Terminal& terminal) {
      return WithStore(parsed, terminal,
                       [&] { return Backup(parsed.view.store, parsed.target, terminal); });
    };
  });
}

}  // namespace fedra::cli
