#include "store/library.h"

#include <sqlite3.h>

namespace fedra::store {

std::string LibraryVersion() { return sqlite3_libversion(); }

}  // namespace fedra::store
