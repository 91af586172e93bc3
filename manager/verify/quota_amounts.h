#pragma once
//
// How much of each resource workloads take of a queue together: exact sums, from which what was
// added is taken off again without a rest.
//
// Plain values.

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "dra/model/pod_demand.h"

namespace fedra::verify {

class QuotaAmounts final {
 public:
  // What all pods of these sets ask for: Kueue admits as many as it can, even where fewer would do
  // (PodDemand::least).
  void Add(std::span<const dra::PodDemand> demands);
  void Subtract(std::span<const dra::PodDemand> demands);
  void Add(const QuotaAmounts& other);
  void Subtract(const QuotaAmounts& other);

  bool IsEmpty() const { return of_.empty(); }
  // In thousandths; what does not fit 64 bits is the largest number that does. 0: nothing.
  int64_t MilliOf(const std::string& resource) const;

  bool operator==(const QuotaAmounts&) const = default;

 private:
  // Ten million workloads of two thousand million pods that each ask for the largest quantity fit.
  __extension__ using Int128 = __int128;

  void Change(const std::string& resource, Int128 by);

  std::map<std::string, Int128> of_;  // by resource, in thousandths; none is 0
};

}  // namespace fedra::verify
