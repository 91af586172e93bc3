#include "tests/sim/api/bindings.h"

#include <algorithm>
#include <string>
#include <utility>

#include "tests/sim/api/json.h"

namespace fedra::sim {
namespace {

bool Binds(const Json& binding, const ObjectKey& account) {
  const Json& subjects = ArrayAt(binding, {"subjects"});
  return std::any_of(subjects.begin(), subjects.end(), [&](const Json& subject) {
    return StringAt(subject, {"kind"}) == "ServiceAccount" &&
           StringAt(subject, {"name"}) == account.name &&
           StringAt(subject, {"namespace"}) == account.ns;
  });
}

std::vector<std::string> StringsAt(const Json& rule, const char* key) {
  std::vector<std::string> words;
  for (const Json& word : ArrayAt(rule, {key}))
    if (word.is_string()) words.push_back(word.get<std::string>());
  return words;
}

PolicyRule RuleOf(const Json& rule, const std::string& scope) {
  PolicyRule policy{.verbs = StringsAt(rule, "verbs"),
                    .groups = StringsAt(rule, "apiGroups"),
                    .resources = StringsAt(rule, "resources"),
                    .names = StringsAt(rule, "resourceNames"),
                    .namespaces = {scope}};
  if (policy.names.empty()) policy.names = {"*"};
  // Paths are in no namespace.
  if (scope == "*") policy.paths = StringsAt(rule, "nonResourceURLs");
  return policy;
}

}  // namespace

std::vector<PolicyRule> BoundRules(const Registry& registry, const Store& store,
                                   const ObjectKey& account) {
  std::vector<PolicyRule> rules;
  const auto add = [&](const char* kind, const char* roles, const ObjectKey& role,
                       const Json& binding, const std::string& scope) {
    if (!Binds(binding, account) || StringAt(binding, {"roleRef", "kind"}) != kind) return;
    const Object* found = store.Find(registry.Get(roles), role);
    if (found == nullptr) return;
    for (const Json& rule : ArrayAt(found->body, {"rules"})) rules.push_back(RuleOf(rule, scope));
  };
  for (const auto& [key, object] : store.All(registry.Get("clusterrolebindings"))) {
    const std::string role(StringAt(object.body, {"roleRef", "name"}));
    add("ClusterRole", "clusterroles", {"", role}, object.body, "*");
  }
  for (const auto& [key, object] : store.All(registry.Get("rolebindings"))) {
    const std::string role(StringAt(object.body, {"roleRef", "name"}));
    add("Role", "roles", {key.ns, role}, object.body, key.ns);
    add("ClusterRole", "clusterroles", {"", role}, object.body, key.ns);
  }
  return rules;
}

}  // namespace fedra::sim
