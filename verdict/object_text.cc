// Objects, queues and APIs of a worker, in words.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "verdict/fact_text.h"

namespace fedra::verdict {
namespace {

// ", which the pods name,"
std::string NamedBy(const std::string& user) {
  if (user.empty()) return {};
  return user == "pods" ? ", which the pods name," : fmt::format(", which {} names,", user);
}

// What becomes of the manager's template, behind "... does not exist there".
std::string CopyText(const Missing& missing) {
  switch (missing.copy) {
    case Missing::Copy::kNone:
      return {};
    case Missing::Copy::kUnknown:
      return ", and the manager's are not known" +
             (missing.unknown ? ": " + TextOf(*missing.unknown, {}) : "");
    case Missing::Copy::kNowhere:
      return ", nor on the manager";
    case Missing::Copy::kComes:
      return "; the manager's is copied there together with the job";
    case Missing::Copy::kAssumed:
      return fmt::format("; judged as if {} were created", missing.error);
    case Missing::Copy::kForbidden:
      return fmt::format(
          ", and copying it is forbidden (deploy/worker-rbac-template-sync.yaml allows it): {}",
          missing.error);
    case Missing::Copy::kRefused:
      return ", and the worker refuses a copy: " + missing.error;
  }
  return {};
}

// "2 pods of set main ask for 4 cpu each".
std::string DemandText(const Quota& quota) {
  return fmt::format("{} of set {} ask{} for {} {}{}", Counted(quota.pods, "pod"), quota.pod_set,
                     quota.pods == 1 ? "s" : "", ReadableAmount(quota.resource, quota.asked),
                     quota.resource, quota.pods == 1 ? "" : " each");
}

// v1beta2 is served since Kueue 0.15.0, which stores v1beta1; 0.16.0 stores it
// (config/components/crd/bases/kueue.x-k8s.io_workloads.yaml).
std::string KueueNeeded(std::string_view resource) {
  return resource.ends_with("kueue.x-k8s.io") ? " in v1beta2: install Kueue 0.15 or newer there"
                                              : "";
}

}  // namespace

std::string TextOf(const Sentence& sentence, const Rendering&) { return sentence.text; }

std::string TextOf(const Missing& missing, const Rendering&) {
  const std::string object = missing.kind + " " + missing.key.ToString();
  if (missing.being_deleted) return object + " is being deleted there";
  return fmt::format("{}{} does not exist there{}", object, NamedBy(missing.named_by),
                     CopyText(missing));
}

std::string TextOf(const Unreadable& unreadable, const Rendering&) {
  const std::string& what = unreadable.resource;
  switch (unreadable.cause) {
    case Unreadable::Cause::kForbidden:
      return fmt::format("not allowed to list or watch {} (403)", what);
    case Unreadable::Cause::kNotServed:
      return fmt::format("the API server does not serve {}{}", what, KueueNeeded(what));
    case Unreadable::Cause::kListing:
      return fmt::format("{} are still being listed", what);
    case Unreadable::Cause::kMalformed:
      return fmt::format("{} cannot be read{}{}",
                         what == "pod template" ? "a pod template of the workload" : "the " + what,
                         unreadable.error.empty() ? "" : ": ", unreadable.error);
    case Unreadable::Cause::kFailing:
      break;
  }
  return fmt::format("{} cannot be watched: {}", what,
                     unreadable.error.empty() ? "unknown error" : unreadable.error);
}

std::string DifferencesText(const Drift& drift) {
  std::string text;
  for (const Drift::Field& field : drift.fields) {
    text += fmt::format("{}{}: {} there, {} on the manager", text.empty() ? "" : "; ", field.path,
                        field.there.value_or("absent"), field.here.value_or("absent"));
  }
  if (drift.total > drift.fields.size())
    text += fmt::format("; and {} more", drift.total - drift.fields.size());
  return text;
}

std::string TextOf(const Drift& drift, const Rendering&) {
  return fmt::format("{} differs from the manager's: {}", drift.object, DifferencesText(drift));
}

std::string TextOf(const Quota& quota, const Rendering&) {
  const auto amount = [&](const Quantity& value) { return ReadableAmount(quota.resource, value); };
  switch (quota.limit) {
    case Quota::Limit::kNotCovered:
      return fmt::format(
          "the pods ask for {}, which no resource group of ClusterQueue {} covers: Kueue never "
          "admits them",
          quota.resource, quota.queue);
    case Quota::Limit::kTooSmall:
      return fmt::format(
          "{}, and ClusterQueue {} has quota for at most {} in one flavor: Kueue never admits them",
          DemandText(quota), quota.queue, amount(quota.most));
    case Quota::Limit::kReserved:
      break;
  }
  std::string text =
      fmt::format("{}, and ClusterQueue {} has reserved {} of its {} for others", DemandText(quota),
                  quota.queue, amount(quota.reserved), amount(quota.most));
  if (quota.dispatched)
    text += fmt::format("; jobs that were dispatched there ask for another {}",
                        amount(*quota.dispatched));
  return text;
}

std::string TextOf(const Undeclared& undeclared, const Rendering&) {
  return fmt::format("{} needs the capability {}, which is not declared for this worker",
                     undeclared.claim, undeclared.capability);
}

std::string TextOf(const MissingLabel& missing, const Rendering&) {
  return fmt::format("{} asks for admin access, and the namespace lacks the label {}=true there",
                     missing.claim, missing.label);
}

std::string TextOf(const QueueStopped& queues, const Rendering&) {
  std::string text;
  for (const QueueStopped::Stop& stop : queues.stops) {
    text += fmt::format(
        "{}{} is {}", text.empty() ? "" : "; ", stop.queue,
        stop.drains ? "being drained (stopPolicy HoldAndDrain)" : "stopped (stopPolicy Hold)");
  }
  return text;
}

std::string TextOf(const QueueInactive& queue, const Rendering&) {
  return fmt::format("{} is not active: {}", queue.queue, queue.error);
}

std::string TextOf(const ApiVersion& api, const Rendering&) {
  return fmt::format("the API server serves only {}/{}", api.group, api.served);
}

std::string TextOf(const NameTaken& taken, const Rendering&) {
  return fmt::format(
      "a {} {} exists there", taken.object,
      taken.by_other_manager ? "that another manager's fedra made" : "that is not ours");
}

std::string TextOf(const ClaimPlace& place, const Rendering&) {
  const std::string where = place.workers.empty()
                                ? std::string("waits")
                                : fmt::format("belongs to {}", fmt::join(place.workers, ", "));
  const std::string why =
      !place.user ? "it is allocated there"
                  : place.user->ToString() + (place.workers.empty()
                                                  ? ", which shares it, has no worker yet"
                                                  : ", which shares it, was dispatched there");
  return fmt::format("{} {}: {}", place.claim, where, why);
}

}  // namespace fedra::verdict
