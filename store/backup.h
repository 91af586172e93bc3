#pragma once
//
// A consistent copy of a store, whether or not a daemon writes to it meanwhile.

#include <string>

#include "base/result.h"

namespace fedra::store {

// `target` must not exist; it gets mode 0600 and is itself a store. On an error nothing is left of
// it.
//
// Thread rules: any thread.
Result<void> BackupStore(const std::string& path, const std::string& target);

}  // namespace fedra::store
