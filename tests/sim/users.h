#pragma once
//
// Who may do what on a simulated API server: RBAC with the roles folded into the user, but for
// service accounts that have asked for a token: theirs are the roles that objects bind them to.
// Plain values and one pure function.

#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace fedra::sim {

// One RBAC PolicyRule. An empty list matches nothing, "*" everything.
struct PolicyRule {
  std::vector<std::string> verbs;
  std::vector<std::string> groups;              // "" is the core group
  std::vector<std::string> resources;           // "jobs", "workloads/status", "*"
  std::vector<std::string> names = {"*"};       // resourceNames; "*": all, as RBAC's empty list
  std::vector<std::string> namespaces = {"*"};  // "*": a ClusterRoleBinding
  std::vector<std::string> paths = {};          // nonResourceURLs: "/metrics", "/apis/*", "*"
};

struct User {
  std::string name;
  std::vector<std::string> groups;
  std::string token;              // bearer token; empty: client certificate only
  std::vector<PolicyRule> allow;  // nothing is allowed that no rule allows
  std::vector<PolicyRule> deny;   // what RBAC cannot say, for tests: taken away again
  ObjectKey account;  // of a service account, whose bindings add to `allow`; no name: a person
};

// What a request wants, as in a SubjectAccessReview.
struct AccessRequest {
  std::string_view verb;
  std::string_view group;
  std::string_view resource;
  std::string_view subresource;  // may be empty
  std::string_view ns;           // empty: cluster scope or all namespaces
  std::string_view name;         // empty: no particular object
  std::string_view path = {};    // not empty: of this, and of no resource
};

// Everything, as system:masters.
User Administrator(std::string name, std::string token);

bool Allows(const User& user, const AccessRequest& request);

}  // namespace fedra::sim
