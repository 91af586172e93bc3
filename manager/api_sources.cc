#include "manager/api_sources.h"

#include <optional>
#include <vector>

#include "manager/wiring.h"
#include "verdict/reason_text.h"

namespace fedra {
namespace {

report::DeviceSource DevicesOf(const reconcile::Worker& worker) {
  report::DeviceSource source{worker.name().value, {}, nullptr};
  const reconcile::WorkerStatus status = worker.Status();
  const verify::DeviceState* const devices = worker.objects().devices();
  if (status.connection.phase != ConnectionPhase::kConnected) {
    source.problem = status.problem.empty() ? "not reached" : status.problem;
  } else if (devices == nullptr) {
    source.problem = "verification.devices is Off: its devices are not watched";
  } else if (const auto obstacle = devices->obstacles().Lists()) {
    source.problem = verdict::MessageOf(*obstacle);
  } else {
    source.snapshot = devices->snapshot();
  }
  return source;
}

}  // namespace

api::Sources ToSources(const config::Configuration& configuration, store::Store& store,
                       reconcile::Federation& federation) {
  return {.store = [&store] { return store.Read(); },
          .devices =
              [&federation] {
                std::vector<report::DeviceSource> sources;
                const auto workers = federation.workers();
                for (const auto& worker : *workers) sources.push_back(DevicesOf(*worker));
                return sources;
              },
          .templates =
              [&federation](std::optional<templates::SyncPolicy> mode) {
                return federation.SurveyTemplates(mode);
              },
          .settings = ToQuery(configuration)};
}

}  // namespace fedra
