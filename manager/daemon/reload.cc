#include "manager/daemon/reload.h"

namespace fedra {

config::Configuration TakeOver(const config::Configuration& used,
                               const config::Configuration& fresh) {
  config::Configuration merged = used;
  merged.workers = fresh.workers;
  merged.dispatch.removed_workers = fresh.dispatch.removed_workers;
  merged.logging.level = fresh.logging.level;
  return merged;
}

}  // namespace fedra
