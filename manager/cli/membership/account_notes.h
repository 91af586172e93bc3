#pragma once
//
// What `fedra join` notes on fedra's account on a worker, for the next join and for `fedra leave`:
// which managers use it, and in which namespaces it was given rights of its own.
//
// It comes from a cluster: what cannot be a UID or a namespace is left out. Thread rules: pure, but
// for the one that asks.

#include <string>
#include <vector>

#include "cluster-clients/cluster.h"

namespace fedra::cli {

struct AccountNotes {
  // UIDs of the managers' kube-system. Not of those that joined it with --kubeconfig-out.
  std::vector<std::string> managers;
  std::vector<std::string> namespaces;  // with RoleBindings; empty: it has rights to all
};

// Of a ServiceAccount as its server answers it.
AccountNotes NotesOf(const std::string& account);
// The manifest of the ServiceAccount, with them.
std::string WithNotes(const std::string& account, const AccountNotes& notes);

// Nothing where there is no account.
Result<AccountNotes> ReadAccountNotes(Cluster& worker);

// In their order, each once; without `left_out`.
std::vector<std::string> Merged(const std::vector<std::string>& one,
                                const std::vector<std::string>& other);
std::vector<std::string> Without(std::vector<std::string> all, const std::string& left_out);

}  // namespace fedra::cli
