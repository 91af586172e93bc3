#pragma once
//
// What this binary is. Defined in a file that the build writes (cmake/Version.cmake).

#include <vector>

namespace fedra {

extern const char* const kVersion;  // "0.1.0"
extern const char* const kCommit;   // "1a2b3c4d5e6f", "-dirty" behind it when files were changed

struct LibraryVersion {
  const char* name;
  const char* version;
};
// Those that were there when the build was configured and do not tell their version at run time.
extern const std::vector<LibraryVersion> kLibraries;

}  // namespace fedra
