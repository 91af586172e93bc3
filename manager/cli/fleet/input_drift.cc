#include "manager/cli/fleet/input_drift.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "dra/model/parse.h"
#include "manager/cli/snapshots/snapshot_names.h"
#include "manager/cli/snapshots/snapshot_reduce.h"
#include "manager/tracking/json_fields.h"
#include "manager/verify/difference.h"

namespace fedra::cli {
namespace {

using nlohmann::json;
using tracking::Member;
using tracking::Text;

constexpr size_t kShown = 3;

// The canonical spec, as the worker's cache has it; nothing: it cannot be read.
std::optional<std::string> TemplateSpec(json object, const ObjectKey& key, ObjectForm form) {
  object["metadata"]["namespace"] = key.ns;
  auto read = verify::ParseTemplate(object);
  if (read && form != ObjectForm::kWhole) read = verify::ParseTemplate(ReducedTemplate(*read));
  return read ? std::optional(read->spec) : std::nullopt;
}

// What of a class decides which devices it means; its configuration is the driver's.
std::string ClassSpec(const dra::DeviceClass& device_class) {
  json selectors = json::array();
  for (const dra::Symbol& selector : device_class.selectors) selectors.push_back(selector.str());
  return tracking::Dump({{"selectors", std::move(selectors)},
                         {"extendedResourceName", device_class.extended_resource.str()}});
}

std::optional<std::string> ClassSpec(const json& object) {
  dra::ParseContext context;
  const auto read = dra::ParseDeviceClass(object, context);
  return read ? std::optional(ClassSpec(*read)) : std::nullopt;
}

std::string Difference(const std::string& there, const std::string& in_file) {
  const auto parse = [](const std::string& text) {
    return json::parse(text, nullptr, /*allow_exceptions=*/false);
  };
  const verdict::Drift drift = verify::Compare(parse(there), parse(in_file), "spec", kShown);
  std::string text;
  for (const verdict::Drift::Field& difference : drift.fields) {
    text += fmt::format("{}{}: {} there, {} in the file", text.empty() ? "" : "; ", difference.path,
                        difference.there.value_or("absent"), difference.here.value_or("absent"));
  }
  if (drift.total > drift.fields.size())
    text += fmt::format("; and {} more", drift.total - drift.fields.size());
  return text;
}

// The file as a whole is not for a worker: it may hold the job, which is the manager's.
std::string Remedy(const std::string& object, bool is_template, const std::string& place) {
  return is_template ? fmt::format(
                           "{}: replace the worker's by {} alone (its spec cannot be changed in "
                           "place: kubectl replace --force), or the manager's where fedra copies "
                           "templates (fedra templates diff shows what would be copied), or give "
                           "the file's another name",
                           object, place)
                     : fmt::format(
                           "{}: kubectl apply {} alone on the worker, or ask only the workers that "
                           "have the file's (--worker NAME)",
                           object, place);
}

// Whether the class decides about the job: a template that it names there names the class. Of a
// named claim, and of a class with an extended resource, that is not looked for.
bool MayUse(const tracking::SubmittedJob& job, const FleetWorker& worker,
            const dra::DeviceClass& device_class) {
  if (!device_class.extended_resource.empty() || !job.requirement.ClaimNames().empty()) return true;
  const std::vector<std::string> names = job.requirement.TemplateNames();
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    const auto there = worker.Template({job.key.ns, name});
    return there != nullptr && Contains(there->device_classes, device_class.name.str());
  });
}

}  // namespace

InputDrift::InputDrift(const CheckInput& input, const std::string& default_ns, ObjectForm form) {
  const std::set<std::string> wrong = ObjectsWithErrors(input);
  for (const Manifest& manifest : input.dra) {
    const json& object = *manifest.object;
    const std::string kind = Text(object, "kind");
    if (kind == "ResourceClaim") continue;  // what a worker's asks for is not kept as text
    const bool is_template = kind == "ResourceClaimTemplate";
    const ObjectKey key = KeyOf(object, default_ns);
    const std::string name = kind + " " + key.ToString();
    if (wrong.contains(name)) continue;
    auto spec = is_template ? TemplateSpec(object, key, form) : ClassSpec(object);
    if (!spec) continue;
    const bool renamed = is_template && form == ObjectForm::kRedacted;
    (is_template ? templates_ : classes_)
        .push_back(
            {renamed ? ObjectKey{Pseudonym("ns", key.ns), Pseudonym("template", key.name)} : key,
             name, manifest.file, manifest.document, *std::move(spec)});
  }
}

void InputDrift::Compare(const Item& item, const std::string& there,
                         report::JobVerdict& verdict) const {
  if (there == item.spec) return;
  const bool is_template = !item.key.ns.empty();
  const std::string place = PlaceOf(item.file, item.document);
  verdict.notes.push_back(
      {item.object,
       fmt::format("{} in {} differs from the worker's, which is the one used: {}", item.object,
                   place, Difference(there, item.spec)),
       Remedy(item.object, is_template, place)});
}

void InputDrift::Note(const tracking::SubmittedJob& job, const FleetWorker& worker,
                      report::JobVerdict& verdict) const {
  const std::vector<std::string> names = job.requirement.TemplateNames();
  for (const Item& item : templates_) {
    const bool named = item.key.ns == job.key.ns && Contains(names, item.key.name);
    const auto there = named ? worker.Template(item.key) : nullptr;
    if (there == nullptr) continue;
    Compare(item, there->spec, verdict);
  }
  if (worker.devices() == nullptr || !tracking::NeedDevices(*job.requirement.demands)) return;
  const auto snapshot = worker.devices()->snapshot();
  for (const Item& item : classes_) {
    const auto* there = snapshot->classes().Find(dra::Symbol(item.key.name));
    if (there != nullptr && MayUse(job, worker, **there))
      Compare(item, ClassSpec(**there), verdict);
  }
}

}  // namespace fedra::cli
