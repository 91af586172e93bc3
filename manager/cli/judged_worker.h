#pragma once
//
// One worker cluster as `check` and `devices` look at it: everything there that decides a verdict,
// fed by watches (live_fleet.h) or from a snapshot file (snapshot_feed.h).
//
// Thread rules: each feed's sink by one thread at a time; verdicts from any thread.
// Lifetime: whoever feeds must end before the worker.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster-clients/cluster.h"
#include "manager/tracking/submitted.h"
#include "manager/verify/dependencies.h"
#include "manager/verify/device_picture.h"
#include "manager/verify/existence.h"
#include "manager/verify/objects.h"

namespace fedra::cli {

// A resource that must be read, and where its objects go.
struct Feed {
  kube::Resource resource;
  watch::CacheSink* sink = nullptr;
  bool metadata_only = false;
};

// What is verified, as the daemon's configuration says.
struct JudgedWorkerSettings {
  ClusterName name;
  std::string origin = "fedra";
  std::optional<verify::DevicePictureOptions> devices;    // absent: devices are not verified
  std::optional<verify::DependencyOptions> dependencies;  // absent: not looked for
  verify::Undeclared undeclared = verify::Undeclared::kWarn;
  // With the manager's templates only (CompareWith): what a difference means, and whether those
  // that are missing are copied.
  verify::Drift drift = verify::Drift::kIgnore;
  bool copies_templates = false;
  std::vector<std::string> capabilities;  // that are declared
  // Only its ResourceClaims are read: where they are allocated matters to the other workers.
  bool claims_only = false;
};

// The alternative of a firstAvailable request that the pods would get.
struct ChosenAlternative {
  std::string pod_set;
  std::string claim;    // its name in the pod
  std::string request;  // empty: the worker's copy of the claim does not tell
  std::string name;     // of the alternative; empty like `request`
  int index = 0;        // from 0
  size_t of = 0;        // how many there are; 0: unknown
};

// What a person should know of a verdict although it decides nothing.
struct VerdictNote {
  std::string object;  // "ResourceClaimTemplate ml/one-gpu"
  std::string message;
  std::string remedy;  // what to do
};

struct JobVerdict {
  ClusterName worker;
  dra::Verdict verdict;
  std::vector<VerdictNote> notes = {};
  bool devices_judged = false;
  std::vector<dra::PodSetReport> pod_sets;  // when devices were judged
  std::vector<ChosenAlternative> alternatives;
};

class JudgedWorker final {
 public:
  // `on_health`: a list is complete or cannot be had.
  JudgedWorker(JudgedWorkerSettings settings, const std::function<void()>& on_health);

  // Once, when the server is known; null: it is not.
  std::vector<Feed> Feeds(const kube::ServerInfo* server);
  // `tried`: for how long by this command; null: it is from a snapshot.
  void SetConnection(ConnectionState connection,
                     std::optional<std::chrono::milliseconds> tried = std::nullopt) {
    connection_ = std::move(connection);
    tried_ = tried;
  }
  // Why nothing is known of it; null: it has answered.
  std::optional<dra::Reason> Silence() const;
  // Some first list is still on its way.
  bool IsListing() const;

  const ClusterName& name() const { return settings_.name; }
  // Whether its classes and devices are known completely.
  bool IsKnown() const;
  // Whether new nodes could bring devices.
  bool HasScalablePools() const {
    return settings_.devices && !settings_.devices->scalable_pools.empty();
  }
  // Null when devices are not verified.
  const verify::DevicePicture* devices() const { return devices_.get(); }
  // Null: it is not there, or not known.
  std::shared_ptr<const verify::Claim> Template(const ObjectKey& key) const {
    return templates_->Find(key);
  }
  // A template that is judged as if it existed there; `object` has all defaults written out.
  Result<void> AssumeTemplate(const std::string& object);
  // The manager's templates, which must outlive the worker; null: they are not known.
  void CompareWith(const verify::Cache<verify::Claim>* manager_templates) {
    manager_templates_ = manager_templates;
  }

  JobVerdict Judge(const tracking::SubmittedJob& job) const;

 private:
  void AddForBoth(const kube::Resource& resource, watch::ObjectSink& cache,
                  watch::ObjectSink* picture, std::vector<Feed>& feeds);
  void JudgeDevices(const tracking::SubmittedJob& job, const verify::TemplatesToCome& to_come,
                    JobVerdict& result) const;
  verify::WorkerPicture Picture(size_t adapter, std::vector<verify::SameName> same_names) const;

  const JudgedWorkerSettings settings_;
  ConnectionState connection_;
  std::optional<std::chrono::milliseconds> tried_;
  const verify::Cache<verify::Claim>* manager_templates_ = nullptr;
  std::vector<std::string> dra_versions_;
  const std::unique_ptr<verify::Cache<verify::Namespace>> namespaces_;
  const std::unique_ptr<verify::Cache<verify::LocalQueue>> queues_;
  const std::unique_ptr<verify::Cache<verify::Claim>> templates_;
  const std::unique_ptr<verify::Cache<verify::Claim>> claims_;
  const std::unique_ptr<verify::Cache<verify::DeviceClass>> classes_;
  std::vector<std::unique_ptr<verify::Cache<tracking::Job>>>
      jobs_;  // in the order of JobAdapters()
  std::unique_ptr<verify::DevicePicture> devices_;
  std::unique_ptr<verify::DependencyPicture> dependencies_;
  // Objects that both the caches and the picture want.
  std::vector<std::unique_ptr<verify::TeeSink>> shared_;
};

using JudgedWorkers = std::vector<std::unique_ptr<JudgedWorker>>;

// The verdict of every worker, in their order. A named claim that is allocated on one of them, or
// on one of `others`, keeps the job from all others.
std::vector<JobVerdict> JudgeEverywhere(const tracking::SubmittedJob& job,
                                        const JudgedWorkers& workers,
                                        const JudgedWorkers& others = {});

}  // namespace fedra::cli
