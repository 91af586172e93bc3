#pragma once
//
// A Lease (coordination.k8s.io/v1) as text, and the part of its spec that leader election is about.
//
// Everything else in the object, such as annotations that others have put there, stays as it was
// read. What it says is untrusted: a member of another type counts as absent.
// Pure. The fields are those of client-go's LeaderElectionRecord, as LeaseLock maps them
// (k8s.io/client-go v0.36.3, tools/leaderelection/resourcelock/leaselock.go).

#include <string>

#include "base/result.h"
#include "base/types.h"
#include "cluster-clients/kube/resource.h"

namespace fedra::leader {

inline const kube::Resource kLeases{"coordination.k8s.io", "v1", "leases", "Lease", true};

struct LeaseRecord {
  std::string holder;        // identity of the leader; empty: it was given back
  int duration_seconds = 0;  // how long it counts after it was last seen to change; 0: not said
  std::string acquire_time;  // MicroTime, by the holder's clock; for people, never compared
  std::string renew_time;    // likewise
  int transitions = 0;       // how often another one became the holder

  bool operator==(const LeaseRecord&) const = default;
};

// What the holder says of itself, in annotations. No part of the protocol: a change of it is no
// sign of life.
struct HolderNotes {
  std::string version;        // of fedra; empty: not said
  std::string configuration;  // config::SharedSettings; empty: not said

  bool operator==(const HolderNotes&) const = default;
};
inline constexpr const char* kVersionAnnotation = "fedra.dev/version";
inline constexpr const char* kConfigurationAnnotation = "fedra.dev/config-hash";

struct Lease {
  LeaseRecord record;
  HolderNotes notes;
  std::string
      object;  // the whole, as the server sent it, with the resourceVersion that updates need
};

// kBadResponse when it is no object, or has no resourceVersion.
Result<Lease> ReadLease(const std::string& text);
// The body of a POST.
std::string NewLease(const ObjectKey& key, const LeaseRecord& record,
                     const HolderNotes& notes = {});
// The body of a PUT that changes nothing but the record and the notes; a 409 is the answer when the
// Lease has changed since it was read.
std::string ChangedLease(const Lease& lease, const LeaseRecord& record,
                         const HolderNotes& notes = {});

}  // namespace fedra::leader
