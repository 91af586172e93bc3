#include "manager/cli/membership/grant_rights.h"

#include <algorithm>

#include <fmt/format.h>

#include "manager/cli/membership/account_notes.h"
#include "manager/cli/membership/account_token.h"

namespace fedra::cli {
namespace {

Result<void> ApplyObject(Cluster& worker, const RightsObject& object, const AccountNotes& notes,
                         bool force) {
  const std::string document =
      object.resource == kAccounts ? WithNotes(object.json, notes) : object.json;
  const auto applied = worker.Apply(object.resource, object.key, document, {.force = force});
  if (applied) return {};
  if (applied.error().code == ErrorCode::kNotFound && !object.key.ns.empty())
    return Fail(ErrorCode::kNotFound,
                fmt::format("{}; `kubectl create namespace {}` on the worker first",
                            ToString(applied.error()), object.key.ns));
  if (applied.error().code != ErrorCode::kConflict) return Fail(applied.error());
  return Fail(ErrorCode::kConflict,
              ToString(applied.error()) + "; --force-conflicts makes them what this fedra needs");
}

Result<void> DeleteBindings(Cluster& worker, const std::vector<RightsObject>& bindings) {
  for (const RightsObject& binding : bindings) {
    const Result<void> deleted = worker.Delete(binding.resource, binding.key);
    if (!deleted && deleted.error().code != ErrorCode::kNotFound) return Fail(deleted.error());
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> GrantRights(Cluster& worker, const WantedRights& wanted,
                                             const std::string& manager, bool force) {
  FEDRA_ASSIGN_OR_RETURN(const std::vector<RightsObject> rights, RightsFor(wanted));
  FEDRA_ASSIGN_OR_RETURN(const AccountNotes before, ReadAccountNotes(worker));
  AccountNotes notes = before;
  if (!manager.empty()) notes.managers = Merged(before.managers, {manager});
  // Where rights may be left stays noted until they are gone.
  notes.namespaces = Merged(before.namespaces, wanted.namespaces);
  for (const RightsObject& object : rights)
    FEDRA_RETURN_IF_ERROR(ApplyObject(worker, object, notes, force));
  std::vector<std::string> others = Without(before.managers, manager);
  if (!others.empty()) return others;
  FEDRA_ASSIGN_OR_RETURN(const auto beyond, BindingsBeyond(wanted, before.namespaces));
  FEDRA_RETURN_IF_ERROR(DeleteBindings(worker, beyond));
  if (notes.namespaces == wanted.namespaces) return others;
  notes.namespaces = wanted.namespaces;
  const auto account = std::ranges::find(rights, kAccounts, &RightsObject::resource);
  FEDRA_RETURN_IF_ERROR(ApplyObject(worker, *account, notes, force));
  return others;
}

}  // namespace fedra::cli
