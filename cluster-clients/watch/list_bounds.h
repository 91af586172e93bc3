#pragma once
//
// How much one resource of one cluster may hold: whatever an API server sends, it costs no more.
//
// Plain values.

#include <cstddef>

namespace fedra::watch {

struct ListBounds {
  // Twice the pods of the largest cluster that Kubernetes is tested with (150,000).
  size_t objects = 300'000;
  // JSON text of what is kept at a time. 100,000 Workloads or Jobs have less, and so have the
  // ResourceSlices of 5,000 nodes.
  size_t bytes = size_t{512} << 20;
  // Of a list; full pages of 500 are 600.
  size_t pages = 5'000;
};

// What a sink holds: of the list that is arriving, while one is.
struct Held {
  size_t objects = 0;
  size_t bytes = 0;  // of their JSON text
};

}  // namespace fedra::watch
