#pragma once
//
// Who holds how much of which ClusterQueue, and who waits for it: first come, first served among
// equals.
//
// Pure data structure. Thread rules: none of its own.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "tests/sim/actors/quantity.h"

namespace fedra::sim {

// The flavor and quota of one resource in a ClusterQueue.
struct Nominal {
  std::string flavor;
  int64_t milli = 0;
};

class Quota final {
 public:
  // Sets what a ClusterQueue has; usage and waiting workloads stay.
  void SetQueue(const std::string& queue, std::map<std::string, Nominal, std::less<>> nominal);
  const std::map<std::string, Nominal, std::less<>>& NominalOf(const std::string& queue) const;

  // What its workloads hold of it.
  const Amounts& UsedOf(const std::string& queue) const;

  // Empty: it fits. Otherwise why not, in Kueue's words.
  std::string WhyNot(const std::string& queue, const Amounts& wanted) const;

  void Hold(const ObjectKey& workload, const std::string& queue, Amounts amounts);
  // The queue that got something back, or "".
  std::string Release(const ObjectKey& workload);

  void Wait(const ObjectKey& workload, const std::string& queue, const Amounts& wanted);
  void StopWaiting(const ObjectKey& workload);
  // Of every kind of request that would fit now, the one that has waited longest.
  std::vector<ObjectKey> NextFor(const std::string& queue) const;

 private:
  struct Held {
    std::string queue;
    Amounts amounts;
  };
  struct Line {
    Amounts wanted;
    std::map<uint64_t, ObjectKey> order;
  };
  struct Waiting {
    std::string queue;
    std::string shape;
    uint64_t number = 0;
  };
  struct Queue {
    std::map<std::string, Nominal, std::less<>> nominal;
    Amounts used;
    std::map<std::string, Line> lines;  // by shape: the wanted amounts as text
  };

  std::map<std::string, Queue> queues_;
  std::map<ObjectKey, Held> held_;
  std::map<ObjectKey, Waiting> waiting_;
  uint64_t next_number_ = 0;
};

}  // namespace fedra::sim
