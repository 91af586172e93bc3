#pragma once
//
// Whether waiting for devices to become free could help: what the same pods would get of the same
// cluster with every device free.
//
// Thread rules: the thread of the judgement that it belongs to. Lifetime: `ask` must outlive it.

#include <functional>
#include <optional>
#include <vector>

#include "dra/judge/explain.h"
#include "dra/judge/judge.h"

namespace fedra::dra {

// The same question about the cluster with every device free; the same answer whenever asked.
using AskFreeCluster = std::function<const Judgement&()>;

class Waiting final {
 public:
  // `ask`: null: not known. `pod_set`: index of the one that is explained.
  Waiting(const AskFreeCluster* ask, size_t pod_set) : ask_(ask), pod_set_(pod_set) {}

  // What is known of the cluster with every device free and nothing running.
  bool IsFreeCluster() const { return ask_ == nullptr; }
  // All pods fit there.
  bool IsEnough() const;
  // The nodes are too small even there: the reason that says so; null: they are not, or it is not
  // known.
  const verdict::Reason* TooSmall() const;

  // That waiting brings too little for the request (null: for all requests together); absent: it
  // may bring enough.
  std::optional<verdict::WithAllFree> Hopeless(const RequestReport* request) const;

 private:
  const AskFreeCluster* ask_;
  size_t pod_set_;
};

// The counts of a RequestReport, summed up.
int Sum(const std::vector<verdict::CountedCause>& causes);
// Untainted, on nodes that the pod can use.
int WithinReach(const RequestReport& report);
int Matching(const RequestReport& report);
// Too few for one pod.
bool IsLacking(const RequestReport& report);

}  // namespace fedra::dra
