#pragma once
//
// How much of a cluster's answers was read: what its objects cost before anything is decided.
// Plain values.

#include <cstddef>

namespace fedra::watch {

struct ReadVolume {
  size_t bytes = 0;   // after decryption and decompression
  size_t events = 0;  // of watches, bookmarks among them
};

}  // namespace fedra::watch
