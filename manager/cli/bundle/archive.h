#pragma once
//
// A gzipped tar file of a few texts, in memory.
//
// The format is POSIX.1-1988's ustar (pax(1)), which every tar reads: a header of 512 bytes for
// each file, its bytes, and zeros up to the next 512. Thread rules: a pure function.

#include <string>
#include <vector>

#include "base/clock.h"

namespace fedra::cli {

struct ArchivedFile {
  std::string name;  // with its folder: "fedra-support/status.json"; at most 100 bytes
  std::string text;
};

// In the order given, each readable by its owner only, all `modified` at that time.
std::string TarGz(const std::vector<ArchivedFile>& files, WallTime modified);

}  // namespace fedra::cli
