#pragma once
//
// What this binary is. Defined in a file that the build writes (cmake/Version.cmake).

namespace fedra {

extern const char* const kVersion;  // "0.1.0"
extern const char* const kCommit;   // "1a2b3c4d5e6f", "-dirty" behind it when files were changed

}  // namespace fedra
