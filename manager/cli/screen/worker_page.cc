#include "manager/cli/screen/worker_page.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/time.h"
#include "manager/text/display_text.h"
#include "manager/text/row_tones.h"
#include "manager/tracking/json_fields.h"

namespace fedra::cli::screen {
namespace {

using nlohmann::json;
using tracking::Member;
using tracking::Number;
using tracking::Text;

// Lines of a page: a label, and what is said, wrapped to the page's width.
class LabelledPage final {
 public:
  LabelledPage(size_t width, bool utf8) : style_{.utf8 = utf8, .width = width} {}

  // Nothing for an empty text.
  void Add(std::string_view label, const std::string& text) {
    if (text.empty()) return;
    const std::string lines = text::LabelledLine(label, text, style_);
    for (size_t begin = 0; begin < lines.size();) {
      const size_t end = lines.find('\n', begin);
      lines_.push_back(LineOf(lines.substr(begin, end - begin)));
      begin = end + 1;
    }
  }
  std::vector<Line> Take() { return std::move(lines_); }

 private:
  const text::Style style_;
  std::vector<Line> lines_;
};

std::string Ago(const json& worker, std::string_view name, WallTime now) {
  const auto time = ParseRfc3339(Text(worker, name));
  return time ? FormatAge(now - *time) : std::string();
}

void AddQueues(const json& worker, LabelledPage& page) {
  const json& queues = Member(worker, "queues");
  if (queues.is_object())
    page.Add("queues", fmt::format("{} of {} admit jobs", Number(queues, "active", 0),
                                   Number(queues, "total", 0)));
  for (const json& queue : Member(queues, "stopped"))
    page.Add("", fmt::format("{} is stopped: {}", Text(queue, "name"),
                             text::OrDash(Text(queue, "why"))));
  std::string_view label = "quota";
  for (const json& use : Member(worker, "quota")) {
    page.Add(label, fmt::format("{} of {} {} in {}, flavor {}", Text(use, "reserved"),
                                Text(use, "nominal"), Text(use, "resource"),
                                Text(use, "clusterQueue"), Text(use, "flavor")));
    label = "";
  }
  const json& devices = Member(worker, "devices");
  if (devices.is_object())
    page.Add("device", fmt::format("{} of {} in use", Number(devices, "inUse", 0),
                                   Number(devices, "published", 0)));
}

// "Job, JobSet"; empty: none, or it is not known.
std::string Listed(const json& object, std::string_view name) {
  std::string text;
  for (const json& word : Member(object, name))
    if (word.is_string()) text += (text.empty() ? "" : ", ") + word.get<std::string>();
  return text;
}

// Which lists it refuses is said in its note.
void AddCapabilities(const json& worker, LabelledPage& page) {
  const json& can = Member(worker, "capabilities");
  page.Add("gates", Listed(Member(can, "dra"), "features"));
  page.Add("Kueue", Listed(can, "kueueVersions"));
  page.Add("kinds", Listed(can, "jobKinds"));
  page.Add("lacks", Listed(can, "jobKindsMissing"));
  page.Add("config", Listed(can, "declared"));
}

}  // namespace

std::string StateOfWorker(const json& worker) {
  const std::string cordon = Text(worker, "cordon");
  return text::OrDash(Text(worker, "state")) + (cordon.empty() ? "" : "," + cordon);
}

text::Tone ToneOfWorker(const json& worker) {
  store::ClusterRow row;
  row.phase = Text(worker, "state");
  const text::Tone tone = text::ToneOf(row);
  // Green is only a worker of which there is nothing to say.
  const bool is_open = !NoteOfWorker(worker).empty() || !Text(worker, "cordon").empty();
  return tone == text::Tone::kGood && is_open ? text::Tone::kWarning : tone;
}

std::string NoteOfWorker(const json& worker) {
  const int left = Number(worker, "jobsLeftBehind", 0);
  std::string note;
  for (const std::string& part :
       {Text(worker, "why"), Text(worker, "note"),
        left > 0 ? fmt::format("copies of {} left behind", Counted(left, "job")) : std::string()}) {
    if (!part.empty()) note += (note.empty() ? "" : "; ") + part;
  }
  return note;
}

std::string JobsOfWorker(const json& worker) {
  return worker.contains("jobs") ? std::to_string(Number(worker, "jobs", 0)) : "-";
}

std::vector<Line> WorkerPage(const json& document, const Question& question, WallTime now,
                             bool utf8) {
  const json& workers = Member(document, "workers");
  const auto worker = std::ranges::find_if(
      workers, [&](const json& each) { return Text(each, "name") == question.subject; });
  if (worker == workers.end())
    return {LineOf(fmt::format("There is no worker {}.", question.subject))};
  LabelledPage page(question.columns, utf8);
  const std::string since = Ago(*worker, "since", now);
  page.Add("state", StateOfWorker(*worker) + (since.empty() ? "" : " for " + since));
  page.Add("note", NoteOfWorker(*worker));
  if (const std::string contact = Ago(*worker, "lastContact", now); !contact.empty())
    page.Add("seen", contact + " ago");
  page.Add("k8s", Text(*worker, "kubernetesVersion"));
  page.Add("DRA", Text(*worker, "draVersion"));
  AddCapabilities(*worker, page);
  page.Add("jobs", JobsOfWorker(*worker));
  AddQueues(*worker, page);
  return page.Take();
}

}  // namespace fedra::cli::screen
