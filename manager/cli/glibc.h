#pragma once
//
// The C library: the one that this process has, and the oldest one that this program starts with.
//
// Thread rules: any thread.

#include <string>

namespace fedra::cli {

struct Glibc {
  std::string running;  // "2.36"
  std::string needed;   // "2.34": the highest version of a symbol that the program refers to
};
Glibc GlibcVersions();

}  // namespace fedra::cli
