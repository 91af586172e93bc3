#include "manager/templates/plan.h"

#include "manager/verify/difference.h"

namespace fedra::templates {
namespace {

// Our copy of a template that the manager has, too.
Plan Follow(const View& view, tracking::Ownership whose) {
  const bool same_object = whose == tracking::Ownership::kOurs;
  const bool same_needs = view.there->capabilities == view.original->capabilities;
  if (same_object && same_needs) return {};
  if (same_object || view.there->spec == view.original->spec) {
    return {Step::kRefresh, same_needs
                                ? "the manager's template was recreated with the same content"
                                : "the manager's template names other capabilities"};
  }
  const std::string change = verify::TemplateDifference(view.there->spec, view.original->spec);
  if (view.here)
    return {Step::kWait, "a workload there uses it; the manager's has changed: " + change};
  return {Step::kReplace, "the manager's template has changed: " + change};
}

}  // namespace

std::string_view ToString(Step step) {
  switch (step) {
    case Step::kNone:
      break;
    case Step::kCreate:
      return "create";
    case Step::kRefresh:
      return "refresh";
    case Step::kReplace:
      return "replace";
    case Step::kWait:
      return "wait";
    case Step::kDelete:
      return "delete";
  }
  return {};
}

tracking::Ownership OwnershipOf(const verify::ClaimSummary& there,
                                const verify::ClaimSummary* original,
                                const tracking::Identity& us) {
  return tracking::OwnershipOf(there.marks, us, original == nullptr ? "" : original->uid);
}

Plan Decide(const View& view, SyncPolicy mode, const tracking::Identity& us) {
  if (mode == SyncPolicy::kNever || !view.there_known) return {};
  if (view.there == nullptr) {
    if (!view.here || view.original == nullptr || !view.can_hold) return {};
    return {Step::kCreate, "a workload that is dispatched there needs it"};
  }
  const tracking::Ownership whose = OwnershipOf(*view.there, view.original, us);
  if (!tracking::IsOurs(whose) || view.there->deleting) return {};
  if (view.leaving) {
    if (view.here) return {Step::kWait, "the worker was removed; a workload there uses the copy"};
    return {Step::kDelete, "the worker was removed from the configuration"};
  }
  if (!view.named) return {Step::kDelete, "no workload names it any more"};
  if (view.original == nullptr) {
    if (!view.original_known || view.here) return {};
    return {Step::kDelete, "the manager's template is gone, and no workload there uses the copy"};
  }
  return mode == SyncPolicy::kReconcile ? Follow(view, whose) : Plan{};
}

std::string WhenDispatched(const std::optional<ObjectKey>& workload) {
  return workload ? "when Workload " + workload->ToString() + " is dispatched there"
                  : "when a Workload is dispatched there";
}

}  // namespace fedra::templates
