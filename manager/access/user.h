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

// What somebody wants, as of a SubjectAccessReview: something of a resource, or of a path.
struct Wish {
  std::string verb;
  std::string group = {};
  std::string resource = {};  // empty: it is about `path`
  std::string subresource = {};
  std::string ns = {};  // empty: everywhere
  std::string path = {};

  bool operator==(const Wish&) const = default;
};

// "list workloads.kueue.x-k8s.io in the namespace ml", as kubectl words it.
std::string TextOf(const Wish& wish);

}  // namespace fedra::access
