#include "manager/daemon/api_sources.h"

#include <optional>
#include <utility>
#include <vector>

#include "config/file_stamp.h"
#include "config/serving_certificate.h"
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
    source.jobs = devices->pods().OfClaims();
  }
  return source;
}

}  // namespace

api::Sources ToSources(const config::Configuration& configuration, store::Store& store,
                       reconcile::Federation& federation, const Replica& replica,
                       const MakeCheck& make_check, api::ChangeFeed& feed) {
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
          .check = make_check(configuration, federation, store),
          .replica = [&replica]() -> std::optional<store::HeartbeatRow> {
            store::HeartbeatRow row;
            PutReplica(row, replica);
            if (row.role.empty()) return std::nullopt;
            return row;
          },
          .settings = ToQuery(configuration),
          .feed = &feed};
}

api::SecureSettings ToSecureSettings(const config::SecureApiSettings& settings) {
  api::SecureSettings secure{
      .address = settings.address, .hosts = settings.hosts, .certificate = {}};
  if (settings.certificate_file.empty()) {
    secure.certificate = api::SelfSigned(settings.hosts, SystemClock());
    return secure;
  }
  const std::string& certificate = settings.certificate_file;
  const std::string& key = settings.key_file;
  secure.certificate = {
      .stamp = [certificate, key] { return config::StampFiles({certificate, key}).value; },
      .read = [certificate, key]() -> Result<httpd::KeyPair> {
        FEDRA_ASSIGN_OR_RETURN(config::ServingCertificate pair,
                               config::ReadServingCertificate(certificate, key));
        return httpd::KeyPair{std::move(pair.certificates), std::move(pair.key)};
      }};
  return secure;
}

}  // namespace fedra
