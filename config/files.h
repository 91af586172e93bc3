#pragma once
//
// Reading small files that a person named. Private to this folder.
// Thread rules: any thread; blocks for the disk.

#include <cstddef>
#include <string>

#include <tl/expected.hpp>

namespace fedra::config {

// The content, or why there is none: "no such file", "permission denied", "not a regular file",
// "larger than 1024 KiB". Never waits on a pipe or a device.
tl::expected<std::string, std::string> ReadSmallFile(const std::string& path, size_t max_bytes);

}  // namespace fedra::config
