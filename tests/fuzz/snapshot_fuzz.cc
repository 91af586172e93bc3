// A snapshot file is whatever a user has sent: reading it, judging a job by it, counting its
// devices and giving it pseudonyms must end, with a value or an error.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nlohmann/json.hpp>

#include "manager/cli/snapshots/snapshot_file.h"
#include "manager/cli/snapshots/snapshot_names.h"
#include "manager/report/device_inventory.h"
#include "manager/text/device_view.h"
#include "manager/text/verdict_view.h"

namespace {

using namespace fedra;

// The names are those of the seeds, so that the objects of a snapshot have a say.
tracking::SubmittedJob MakeJob() {
  const auto object = nlohmann::json::parse(R"({"apiVersion": "batch/v1", "kind": "Job",
    "metadata": {"namespace": "ml", "name": "train",
                 "labels": {"kueue.x-k8s.io/queue-name": "gpu"}},
    "spec": {"parallelism": 3, "template": {"spec": {
      "containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}],
      "resourceClaims": [{"name": "a", "resourceClaimTemplateName": "one-gpu"},
                         {"name": "b", "resourceClaimTemplateName": "huge-or-any"},
                         {"name": "c", "resourceClaimName": "other"}]}}}})");
  return *tracking::ParseSubmitted(object, *tracking::BuiltInKinds(), "");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const tracking::SubmittedJob job = MakeJob();
  auto file = cli::ParseSnapshot({reinterpret_cast<const char*>(data), size});
  if (!file) return 0;
  for (const bool redact : {false, true}) {
    if (redact) cli::RedactNames(*file);
    cli::FleetWorkers workers;
    std::vector<report::WorkerDevices> devices;
    for (const cli::RecordedWorker& recorded : file->workers) {
      workers.push_back(std::make_unique<cli::FleetWorker>(recorded.settings, [] {}));
      cli::FeedRecorded(recorded, *workers.back());
      if (workers.back()->devices() == nullptr) continue;
      const auto snapshot = workers.back()->devices()->snapshot();
      devices.push_back({"worker", "", *report::TakeInventory(*snapshot, {})});
    }
    report::JobReport report{"Job", job.key, {}};
    report.verdicts = cli::JudgeEverywhere(redact ? cli::WithPseudonyms(job) : job, workers);
    text::RenderReport(report, {});
    report::ToJson(report);
    text::RenderDevices(devices, {file->taken_at, "snapshot.json"}, text::Format::kWide, {});
    if (!cli::ParseSnapshot(cli::ToText(*file))) __builtin_trap();
  }
  return 0;
}
