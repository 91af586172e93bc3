#pragma once
//
// Which SQLite this process runs with, for `fedra version`.

#include <string>

namespace fedra::store {

// "3.40.1"
std::string LibraryVersion();

}  // namespace fedra::store
