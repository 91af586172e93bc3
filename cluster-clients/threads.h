#pragma once
//
// The threads that the Clusters of a process run on: an io loop, and a pool that parses what the
// loop brings.
//
// Each hands work to the other as long as it lives, even from the destructors of work that is
// dropped. So both are ended here before either is destroyed.
//
// Lifetime: must outlive every Cluster made with it; those are stopped first.

#include <cstddef>

#include "base/worker_pool.h"
#include "cluster-clients/http/loop.h"

namespace fedra {

struct Threads final {
  explicit Threads(size_t pool_threads) : pool(pool_threads) {}
  ~Threads() { Stop(); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  void Stop() {
    pool.Stop();
    loop.Stop();
  }

  WorkerPool pool;
  http::HttpLoop loop;
};

}  // namespace fedra
