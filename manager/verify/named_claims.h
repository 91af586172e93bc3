#pragma once
//
// A ResourceClaim that a job names, and that others use: its users share what is allocated to it.
//
// Whether they must share it depends on the device. With shared memory or a job that exchanges data
// through the device they must, and a second claim of that name on another worker is something
// else; where a claim only stands for "a slice of some GPU's time", another worker's claim of that
// name is as good. The configuration says which is the rule (verification.sharedClaims), and the
// annotation fedra.dev/shared on a claim says it for that one.
//
// Pure but for the objects, which change under it.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "manager/tracking/requirement.h"
#include "manager/verify/worker_objects.h"
#include "verdict/verdict.h"

namespace fedra::verify {

// One worker about which a job that names claims is asked.
struct ClaimCandidate {
  ClusterName worker;
  const WorkerObjects* objects = nullptr;
  bool usable = true;  // it can be reached and used: a lost one holds no other worker back
  // Changed where a claim keeps the job away; null: only its claims matter.
  verdict::Verdict* verdict = nullptr;
  // Result: how many of the job's claims are in use there, or about to be.
  int claims_in_use = 0;
};

// Where the other users of a claim were dispatched, by Workload.
using ClaimUsers =
    std::function<std::map<ObjectKey, std::set<ClusterName>>(const ObjectKey& claim)>;

// Counts, and with kRequireTogether refuses with ClaimElsewhere, unless it is refused already,
// every worker but the claim's: where it is allocated, or else where the first of its users, by
// name, was dispatched.
void KeepClaimsTogether(const tracking::Requirement& requirement,
                        std::span<ClaimCandidate> candidates, const ClaimUsers& users,
                        SharedClaims rule);

}  // namespace fedra::verify
