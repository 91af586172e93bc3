#include "tests/sim/program/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <thread>

#include "tests/sim/actors/conditions.h"
#include "tests/sim/core.h"

namespace fedra::sim {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// When things happened to the Jobs of one load.
struct Times {
  std::map<std::string, Clock::time_point> created;
  std::map<std::string, Clock::time_point> dispatched;  // first seen on any worker
  std::map<std::string, Clock::time_point> finished;
};

// Notes the first appearance of a Job of the load on one worker.
class RemoteJobs final : public Observer {
 public:
  RemoteJobs(Core& core, std::string prefix, Guarded<Times>& times)
      : core_(core), jobs_(core.registry.Get("jobs")), prefix_(std::move(prefix)), times_(times) {
    core_.store.With([this](Store& store) { store.Observe(*this); });
  }
  ~RemoteJobs() override {
    core_.store.With([this](Store& store) { store.Unobserve(*this); });
  }

  void OnChange(const Store&, const ResourceType& type, const Event& event) override {
    if (&type != &jobs_ || event.type != EventType::kAdded) return;
    if (!event.key.name.starts_with(prefix_)) return;
    times_.With([&](Times& t) { t.dispatched.try_emplace(event.key.name, Clock::now()); });
    times_.Notify();
  }

 private:
  Core& core_;
  const ResourceType& jobs_;
  const std::string prefix_;
  Guarded<Times>& times_;
};

// Notes when a Workload of the load becomes Finished on the manager.
class FinishedWorkloads final : public Observer {
 public:
  FinishedWorkloads(Core& core, std::string prefix, Guarded<Times>& times)
      : core_(core),
        workloads_(core.registry.Get("workloads")),
        prefix_("job-" + std::move(prefix)),
        times_(times) {
    core_.store.With([this](Store& store) { store.Observe(*this); });
  }
  ~FinishedWorkloads() override {
    core_.store.With([this](Store& store) { store.Unobserve(*this); });
  }

  void OnChange(const Store& store, const ResourceType& type, const Event& event) override {
    if (&type != &workloads_ || !event.key.name.starts_with(prefix_)) return;
    const Object* workload = store.Find(workloads_, event.key);
    if (workload == nullptr) return;
    const Json* status = At(workload->body, {"status"});
    if (status == nullptr || !IsTrue(*status, "Finished")) return;
    times_.With([&](Times& t) { t.finished.try_emplace(event.key.name, Clock::now()); });
    times_.Notify();
  }

 private:
  Core& core_;
  const ResourceType& workloads_;
  const std::string prefix_;
  Guarded<Times>& times_;
};

void CreateJobs(Core& core, const LoadRequest& request, Guarded<Times>& times,
                Clock::time_point start) {
  const ResourceType& jobs = core.registry.Get("jobs");
  Json job = MakeJob("", request.claim_template);
  if (!request.run_for.empty()) {
    job["metadata"]["annotations"]["sim.fedra.dev/run-for"] = request.run_for;
  }
  for (size_t i = 0; i < request.jobs; ++i) {
    const std::string name = fmt::format("{}{:06}", request.prefix, i);
    job["metadata"]["name"] = name;
    if (request.rate > 0) {
      const Seconds due(static_cast<double>(i) / request.rate);
      std::this_thread::sleep_until(start + std::chrono::duration_cast<Clock::duration>(due));
    }
    times.With([&](Times& t) { t.created.emplace(name, Clock::now()); });
    core.Write([&](Store& store) {
      (void)core.verbs.Create(
          store, {.type = jobs, .key = {"ml", ""}, .subresource = {}, .manager = "load"}, job);
    });
  }
}

Json Percentiles(const Times& times) {
  std::vector<double> latencies;
  for (const auto& [name, when] : times.dispatched) {
    const auto created = times.created.find(name);
    if (created == times.created.end()) continue;
    latencies.push_back(Seconds(when - created->second).count() * 1000);
  }
  if (latencies.empty()) return Json::object();
  std::sort(latencies.begin(), latencies.end());
  const auto at = [&latencies](double part) {
    const auto index = static_cast<size_t>(part * static_cast<double>(latencies.size() - 1));
    return latencies[index];
  };
  return {{"p50", at(0.5)}, {"p90", at(0.9)}, {"p99", at(0.99)}, {"max", latencies.back()}};
}

double LastAfter(const std::map<std::string, Clock::time_point>& times, Clock::time_point start) {
  Clock::time_point last = start;
  for (const auto& [name, when] : times) last = std::max(last, when);
  return Seconds(last - start).count();
}

}  // namespace

Json RunLoad(Fleet& fleet, const LoadRequest& request) {
  Guarded<Times> times;
  std::vector<std::unique_ptr<RemoteJobs>> remote;
  Core& manager = fleet.manager().server.core();
  for (const std::string& name : fleet.names()) {
    Cluster* cluster = fleet.Find(name);
    if (cluster == &fleet.manager()) continue;
    remote.push_back(std::make_unique<RemoteJobs>(cluster->server.core(), request.prefix, times));
  }
  const FinishedWorkloads finished(manager, request.prefix, times);
  const auto start = Clock::now();
  CreateJobs(manager, request, times, start);
  const double create_seconds = Seconds(Clock::now() - start).count();
  const auto done = [&request](const Times& t) {
    return t.dispatched.size() >= request.jobs &&
           (!request.wait_finished || t.finished.size() >= request.jobs);
  };
  const auto left = start + request.timeout - Clock::now();
  return times.WaitFor(left, done, [&](const Times& t) -> Json {
    const double dispatch_seconds = LastAfter(t.dispatched, start);
    return {
        {"jobs", request.jobs},
        {"dispatched", t.dispatched.size()},
        {"finished", t.finished.size()},
        {"createSeconds", create_seconds},
        {"dispatchSeconds", dispatch_seconds},
        {"finishSeconds", LastAfter(t.finished, start)},
        {"dispatchPerSecond",
         dispatch_seconds > 0 ? static_cast<double>(t.dispatched.size()) / dispatch_seconds : 0.0},
        {"latencyMs", Percentiles(t)}};
  });
}

}  // namespace fedra::sim
