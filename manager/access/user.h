#pragma once
//
// Who asks, as an API server knows them (UserInfo of authentication.k8s.io/v1). Plain values.

#include <map>
#include <string>
#include <vector>

namespace fedra::access {

struct User {
  std::string name;  // never empty
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;

  bool operator==(const User&) const = default;
};

// What a user asks for, as a SubjectAccessReview has it (its resourceAttributes or
// nonResourceAttributes): a verb on a resource, or on a path.
struct Attributes {
  std::string verb;
  std::string group = {};
  std::string resource = {};  // empty: it is about `path`
  std::string subresource = {};
  std::string ns = {};  // empty: everywhere
  std::string path = {};

  bool operator==(const Attributes&) const = default;
};

// "list workloads.kueue.x-k8s.io in the namespace ml", as kubectl words it.
std::string TextOf(const Attributes& attributes);

}  // namespace fedra::access
