#pragma once
//
// Workers that refused a copy of a template, and why: for verdicts, and so that nothing is tried
// over and over.
//
// Kept in memory only: after a restart a copy is simply tried again.
//
// Thread rules: any thread.

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/types.h"
#include "verdict/reason.h"

namespace fedra::reconcile {

struct CopyFailure {
  verdict::Reason reason;
  std::string source_uid;  // of the manager's template whose copy was refused
  SteadyTime next{};       // when the worker may be asked again
};

class CopyFailures final {
 public:
  void Record(const ClusterName& worker, const ObjectKey& key, CopyFailure failure);
  void Clear(const ClusterName& worker, const ObjectKey& key);
  // A worker that comes back under this name is another one.
  void Forget(const ClusterName& worker);
  // The causes may have gone: the worker may be asked again now, about these templates.
  std::vector<ObjectKey> TakeOutdated(const ClusterName& worker);

  std::optional<CopyFailure> Find(const ClusterName& worker, const ObjectKey& key) const;
  // Of one namespace, by the templates' names.
  std::map<std::string, verdict::Reason> On(const ClusterName& worker, const std::string& ns) const;

 private:
  using Failures = std::map<ClusterName, std::map<ObjectKey, CopyFailure>>;
  Guarded<Failures> failures_;
};

}  // namespace fedra::reconcile
