#pragma once
//
// The read-only API: a request in, an answer out. routes.h has what there is. What is posted to it
// is judged, and not kept.
//
// Thread rules: any thread, and several at once. Lifetime: what the sources refer to must outlive
// it.

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "manager/api/change_feed.h"
#include "manager/api/check_request.h"
#include "manager/http/message.h"
#include "manager/report/as_of.h"
#include "manager/report/device_inventory.h"
#include "manager/report/query.h"
#include "manager/templates/survey.h"
#include "manager/text/view_settings.h"
#include "store/reader.h"
#include "store/rows.h"

namespace fedra::api {

class Streams;

// Where answers come from.
//
// Each is called by several threads at once: a server has one that answers, one that checks and one
// of its streams, over TLS a few more that look which namespaces there are, and all servers have
// the same sources. What they give belongs to the thread that has asked.
struct Sources {
  // A view of the store of its own, for no longer than an answer takes.
  std::function<Result<std::unique_ptr<store::Reader>>()> store;
  // The workers, in the order of the configuration.
  std::function<std::vector<report::DeviceSource>()> devices = {};
  // What would be done about copies of templates, with this mode or the configured one.
  std::function<templates::TemplateSurvey(std::optional<templates::SyncPolicy>)> templates = {};
  // Judges manifests; without functions none are judged (503).
  CheckSource check = {};
  // Which of several daemons answers, as its heartbeat has it; null: there are no replicas.
  std::function<std::optional<store::HeartbeatRow>()> replica = {};
  // What documents say of the configuration; what is asked for is not looked at.
  report::Query settings = {};
  const Clock* clock = &SystemClock();
  // Tells what the store has written; null: there are no streams.
  ChangeFeed* feed = nullptr;
  // Of the server that answers, which sets it; null: likewise.
  Streams* streams = nullptr;
  // The server calls it with every answer's endpoint (EndpointOf) and status, on its loop's thread.
  // Null: answers are not counted.
  std::function<void(std::string_view endpoint, int status)> on_answer = {};
};

enum class Topic;
enum class View;
struct Route;
class Parameters;

class Api final {
 public:
  explicit Api(Sources sources);

  // Never fails: what goes wrong is an answer, too.
  httpd::Answer Answer(const httpd::Request& request) const;
  // What of it the viewer may see. Whether the request may come at all is found out before.
  // `posted`: what ReadPosted has made of it already; null: it is read here.
  httpd::Answer AnswerTo(const Viewer& viewer, const httpd::Request& request,
                         const ReadCheck* posted = nullptr) const;
  // The manifests of a posted request. kInvalidArgument.
  Result<ReadCheck> ReadPosted(const Parameters& asked, const httpd::Request& request) const;

 private:
  // A request, and what is known of it.
  struct Question {
    const httpd::Request& request;
    const Viewer& viewer;
    const ReadCheck* posted;
  };

  Result<httpd::Answer> Find(const Question& question) const;
  Result<text::Output> Print(const Route& route, const Parameters& asked,
                             const text::ViewSettings& settings, const Question& question) const;
  Result<text::Output> PrintCheck(const Parameters& asked, const text::ViewSettings& settings,
                                  const Question& question) const;
  // Of the store.
  Result<text::Output> PrintView(View view, const Parameters& asked,
                                 const text::ViewSettings& settings,
                                 const Question& question) const;
  // Of what the daemon sees now: every other topic but the catalogue.
  Result<text::Output> PrintSeen(Topic topic, const Parameters& asked,
                                 const text::ViewSettings& settings,
                                 const Question& question) const;
  report::AsOf AsOfNow(const text::ViewSettings& settings, const Viewer& viewer) const;
  Result<text::Output> PrintTemplates(const Parameters& asked, const text::ViewSettings& settings,
                                      const Question& question) const;
  Result<text::Output> PrintDevices(const Parameters& asked, const text::ViewSettings& settings,
                                    const Question& question) const;
  Result<text::Output> PrintDeviceMap(const Parameters& asked, const text::ViewSettings& settings,
                                      const Question& question) const;

  const Sources sources_;
};

}  // namespace fedra::api
