#include "manager/cli/membership/account_notes.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/object_names.h"
#include "manager/cli/membership/account_token.h"
#include "manager/cli/membership/worker_rights.h"

namespace fedra::cli {
namespace {

constexpr const char* kManagers = "fedra.dev/managers";
constexpr const char* kNamespaces = "fedra.dev/namespaces";

// "a,b" -> those that have the form of a name; a UID has that, too.
std::vector<std::string> ListIn(const nlohmann::json& account, const char* annotation) {
  const auto where = nlohmann::json::json_pointer("/metadata/annotations") / annotation;
  if (!account.is_object() || !account.contains(where) || !account.at(where).is_string()) return {};
  std::istringstream text(account.at(where).get<std::string>());
  std::vector<std::string> list;
  for (std::string each; std::getline(text, each, ',');)
    if (IsDnsLabel(each)) list.push_back(each);
  return list;
}

}  // namespace

AccountNotes NotesOf(const std::string& account) {
  const auto object = nlohmann::json::parse(account, nullptr, /*allow_exceptions=*/false);
  return {ListIn(object, kManagers), ListIn(object, kNamespaces)};
}

std::string WithNotes(const std::string& account, const AccountNotes& notes) {
  auto object = nlohmann::json::parse(account);
  for (const auto& [annotation, list] :
       {std::pair(kManagers, &notes.managers), std::pair(kNamespaces, &notes.namespaces)}) {
    if (!list->empty())
      object["metadata"]["annotations"][annotation] = fmt::format("{}", fmt::join(*list, ","));
  }
  return object.dump();
}

Result<AccountNotes> ReadAccountNotes(Cluster& worker) {
  const auto account = worker.Get(kAccounts, {kAccountNamespace, kAccountName});
  if (account) return NotesOf(*account);
  if (account.error().code == ErrorCode::kNotFound) return AccountNotes{};
  return Fail(account.error());
}

std::vector<std::string> Merged(const std::vector<std::string>& one,
                                const std::vector<std::string>& other) {
  std::vector<std::string> all;
  for (const auto* list : {&one, &other})
    for (const std::string& each : *list)
      if (std::ranges::find(all, each) == all.end()) all.push_back(each);
  return all;
}

std::vector<std::string> Without(std::vector<std::string> all, const std::string& left_out) {
  std::erase(all, left_out);
  return all;
}

}  // namespace fedra::cli
