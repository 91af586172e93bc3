#pragma once
//
// Whether waiting for devices to become free could help: what the same pods would get of the same
// cluster with every device free.

#include <functional>
#include <optional>
#include <string>

#include "dra/judge/explain.h"
#include "dra/judge/judge.h"

namespace fedra::dra {

// The same question about the cluster with every device free; the same answer whenever asked.
using AskFreeCluster = std::function<const Judgement&()>;

class Waiting final {
 public:
  // `ask`: null: not known. `pod_set`: index of the one that is explained.
  Waiting(const AskFreeCluster* ask, size_t pod_set) : ask_(ask), pod_set_(pod_set) {}

  // That waiting brings too little for the request (null: for all requests together), in words;
  // absent: it may bring enough.
  std::optional<std::string> Hopeless(const RequestReport* request) const;

 private:
  const AskFreeCluster* ask_;
  size_t pod_set_;
};

// The counts of a RequestReport, summed up.
int Sum(const std::vector<CountedCause>& causes);
// Untainted, on nodes that the pod can use.
int WithinReach(const RequestReport& report);
int Matching(const RequestReport& report);
// Too few for one pod.
bool IsLacking(const RequestReport& report);

}  // namespace fedra::dra
