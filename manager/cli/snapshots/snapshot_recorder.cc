#include "manager/cli/snapshots/snapshot_recorder.h"

#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "manager/cli/snapshots/snapshot_reduce.h"
#include "manager/verify/dra_api.h"

namespace fedra::cli {

using nlohmann::json;

// The reduced objects of one resource. Thread rules: as CacheSink; Recorded() from any thread.
class RecordingSink final : public watch::CacheSink {
 public:
  RecordingSink(kube::Resource resource, std::string labels, const FleetWorkerSettings& settings,
                std::function<void()> on_health)
      : resource_(std::move(resource)),
        labels_(std::move(labels)),
        origin_(settings.us.origin),
        kinds_(settings.verified.kinds),
        on_health_(std::move(on_health)) {}

  void Reset() override {
    listing_ = true;
    arriving_.clear();
  }
  Result<void> Upsert(std::string_view text) override {
    FEDRA_ASSIGN_OR_RETURN(const json object, watch::ParseJson(text));
    FEDRA_ASSIGN_OR_RETURN(const watch::Meta meta, watch::ReadMeta(object));
    // What is told by its labels is told as a job.
    std::optional<json> reduced = labels_.empty() ? Reduced(resource_, object, origin_, *kinds_)
                                                  : ReducedJob(object, origin_);
    Change([&](Objects& objects) {
      objects.erase(meta.key);
      if (reduced) objects.emplace(meta.key, *std::move(reduced));
    });
    return {};
  }
  Result<void> Remove(std::string_view text) override {
    FEDRA_ASSIGN_OR_RETURN(const watch::Meta meta, watch::ScanMeta(text));
    Change([&](Objects& objects) { objects.erase(meta.key); });
    return {};
  }
  void Synced() override {
    if (!std::exchange(listing_, false)) return;
    state_.With([&](State& state) { state.objects = std::exchange(arriving_, {}); });
  }
  // Of its own form only the number is known; what one list may send is bounded anyway.
  watch::Held held() const override {
    if (listing_) return {arriving_.size(), 0};
    return {state_.With([](const State& state) { return state.objects.size(); }), 0};
  }
  void SetHealth(watch::CacheHealth health) override {
    state_.With([&](State& state) { state.health = std::move(health); });
    on_health_();
  }

  watch::CacheHealth health() const override {
    return state_.With([](const State& state) { return state.health; });
  }
  RecordedResource Recorded() const {
    return state_.With([&](const State& state) {
      RecordedResource recorded{RecordedName(resource_, labels_), state.health, {}};
      for (const auto& [key, object] : state.objects) recorded.items.push_back(object);
      return recorded;
    });
  }

 private:
  using Objects = std::map<ObjectKey, json>;
  struct State {
    Objects objects;
    watch::CacheHealth health;
  };

  template <class F>
  void Change(F&& change) {
    if (listing_) return change(arriving_);
    state_.With([&](State& state) { change(state.objects); });
  }

  const kube::Resource resource_;
  const std::string labels_;  // of its objects that are read; empty: all are
  const std::string origin_;
  const tracking::JobKindsPtr kinds_;
  const std::function<void()> on_health_;
  Guarded<State> state_;

  // Used by the feeding reflector only.
  bool listing_ = false;
  Objects arriving_;
};

namespace {

// What is served below the prefix, which is "group/".
std::vector<std::string> Below(std::string_view prefix, const kube::ServerInfo* server) {
  std::vector<std::string> resources;
  if (server == nullptr) return resources;
  for (const std::string& resource : server->resources)
    if (resource.starts_with(prefix)) resources.push_back(resource.substr(prefix.size()));
  return resources;
}

}  // namespace

WorkerRecorder::WorkerRecorder(FleetWorkerSettings settings, std::function<void()> on_health)
    : settings_(std::move(settings)), on_health_(std::move(on_health)), reads_(settings_, [] {}) {
  // Who reads the file may ask about a job of any kind.
  reads_.UseKinds(settings_.verified.kinds->all());
}

WorkerRecorder::~WorkerRecorder() = default;

std::vector<verify::Input> WorkerRecorder::Inputs(const kube::ServerInfo* server) {
  std::vector<verify::Input> inputs = reads_.Inputs(server);
  for (verify::Input& input : inputs) {
    sinks_.push_back(
        std::make_unique<RecordingSink>(input.resource, input.labels, settings_, on_health_));
    input.sink = sinks_.back().get();
  }
  for (auto& sink : NotServed(server)) sinks_.push_back(std::move(sink));
  return inputs;
}

// Kinds of jobs that the server does not have: nothing is asked, and the file says so.
std::vector<std::unique_ptr<RecordingSink>> WorkerRecorder::NotServed(
    const kube::ServerInfo* server) const {
  std::vector<std::unique_ptr<RecordingSink>> sinks;
  for (const tracking::JobAdapter* kind : settings_.verified.kinds->all()) {
    if (server == nullptr || kind == &tracking::BatchJobAdapter() ||
        server->Serves(kind->resource()) || settings_.claims_only)
      continue;
    sinks.push_back(std::make_unique<RecordingSink>(kind->resource(), kind->labels_on_worker(),
                                                    settings_, [] {}));
    sinks.back()->SetHealth({.state = watch::CacheState::kNotServed});
  }
  return sinks;
}

bool WorkerRecorder::IsListing() const {
  for (const auto& sink : sinks_)
    if (sink->health().IsListing()) return true;
  return false;
}

RecordedWorker WorkerRecorder::Recorded(ConnectionState connection,
                                        const kube::ServerInfo* server) const {
  RecordedWorker recorded;
  recorded.settings = settings_;
  recorded.connection = std::move(connection);
  if (server != nullptr) recorded.kubernetes_version = server->git_version;
  recorded.dra_versions = verify::ServedDraVersions(server);
  recorded.dra_resources = Below("resource.k8s.io/", server);
  recorded.scheduling_resources = Below("scheduling.k8s.io/", server);
  for (const auto& sink : sinks_) recorded.resources.push_back(sink->Recorded());
  return recorded;
}

}  // namespace fedra::cli
