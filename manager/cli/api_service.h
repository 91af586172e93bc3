#pragma once
//
// fedra's Service in a cluster, found by kubectl with the rights of the user who runs the command.
//
// Thread rules: any thread.

#include <initializer_list>
#include <string>
#include <vector>

#include "base/result.h"
#include "manager/cli/membership/named_context.h"

namespace fedra::cli {

inline constexpr const char* kKubectl = "kubectl";  // in PATH

// What kubectl is asked, with the chosen kubeconfig and context.
std::vector<std::string> KubectlArguments(const ContextChoice& context,
                                          std::initializer_list<std::string> more);
// There is none, and what to do then.
Error NoKubectl();
// The end of what a program says: "error: ..."
std::string LastLine(std::string text);

// A Service that has the API over TLS.
struct ApiService {
  std::string ns;
  std::string name;
  int port = 0;
  std::string ToString() const { return ns + "/" + name; }
  bool operator==(const ApiService&) const = default;
};

struct ServiceChoice {
  // Empty: fedra-system, and no other: any user may give a Service of their own fedra's label, and
  // would be sent the user's token.
  std::string ns;
  std::string name;  // empty: the one with fedra's label
};

// Of the Services of `choice.ns`, as `kubectl get services -o json` lists them, the one with the
// API: its port is called https. kNotFound, kConflict (several): with what to do. Pure.
Result<ApiService> ApiServiceIn(const std::string& list, const ServiceChoice& choice);
// The same, asked of the cluster. kNotFound: also where there is no kubectl. kForbidden and others:
// what kubectl says.
Result<ApiService> FindApiService(const ServiceChoice& choice, const ContextChoice& context);

}  // namespace fedra::cli
