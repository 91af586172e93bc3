#include "config/schema_workers_from.h"

#include "config/schema_choice.h"

namespace fedra::config {
namespace {

Fields DescribeVariable(ExecVariable& variable) {
  return {
      {"name", "Name of the variable.", TextRef{&variable.name, TextRule::kVariableName}, "REGION",
       true},
      {"value", "Its value, which fedra never prints.", TextRef{&variable.value, TextRule::kSecret},
       "east"},
  };
}

ListRef Variables(std::vector<ExecVariable>& env) {
  return {env.size(), [&env](size_t size) { env.resize(size); },
          [&env](size_t index) { return DescribeVariable(env.at(index)); }};
}

// The keys of a kubeconfig's exec.
Fields DescribeExec(ExecAccess& exec) {
  return {
      {"apiVersion", "What the plugin speaks.",
       Choice<std::string>(&exec.api_version, {{kExecV1Beta1, kExecV1Beta1}, {kExecV1, kExecV1}}),
       kExecV1, true},
      {"command",
       "The program: a path, which starts from this file's folder when it is relative, or a name "
       "without a slash, which is looked up in PATH. It runs as the user of fedra.",
       TextRef{&exec.command, TextRule::kCommand}, "/opt/plugins/fleet-token", true},
      {"args", "Its arguments.", TextsRef{&exec.args, TextRule::kAny}, "[token]"},
      {"env", "Added to fedra's own environment for it.", Variables(exec.env), ""},
      {"installHint", "Shown when the program is not there.",
       TextRef{&exec.install_hint, TextRule::kAny}, "install fleet-token"},
      {"provideClusterInfo",
       "Whether the plugin gets the cluster's address and certificate authority, and what the "
       "ClusterProfile has in the extension client.authentication.k8s.io/exec.",
       FlagRef{&exec.provide_cluster_info}, ""},
      {"interactiveMode", "There is no terminal.", ConstantRef{"Never"}, "Never"},
  };
}

Fields DescribeAccessProvider(AccessProvider& provider) {
  return {
      {"name", "As in status.accessProviders of ClusterProfiles.",
       TextRef{&provider.name, TextRule::kAny}, "fleet-token", true},
      {"execConfig", "The credential plugin, with the keys of a kubeconfig's exec.",
       ObjectRef{DescribeExec(provider.exec)},
       "{apiVersion: client.authentication.k8s.io/v1, command: /opt/plugins/fleet-token}", true},
  };
}

ListRef AccessProviders(std::vector<AccessProvider>& providers) {
  return {providers.size(), [&providers](size_t size) { providers.resize(size); },
          [&providers](size_t index) { return DescribeAccessProvider(providers.at(index)); }};
}

Fields DescribeClusterProfiles(ClusterProfilesFrom& from) {
  return {
      {"namespace",
       "Every ClusterProfile (Cluster Inventory API, multicluster.x-k8s.io) of this namespace of "
       "the manager is a worker, too, under its own name. One that a MultiKueueCluster names is "
       "that worker only. Needs accessProviders, and deploy/manager-rbac-clusterprofiles.yaml on "
       "the manager.",
       TextRef{&from.ns, TextRule::kDnsLabel}, "fleet"},
      {"selector", "Only those whose labels match, as of kubectl -l.",
       TextRef{&from.selector, TextRule::kLabelSelector}, "\"env=prod,gpu\""},
  };
}

}  // namespace

Fields DescribeWorkersFrom(WorkersFrom& from) {
  return {
      {"multiKueueClusters",
       "Whether every MultiKueueCluster of the manager is a worker, too, with the kubeconfig or "
       "the ClusterProfile that Kueue uses. They come, go and change without a restart. One whose "
       "name is in workers is not used. Needs deploy/manager-rbac-discovery.yaml on the manager.",
       FlagRef{&from.multi_kueue_clusters}, ""},
      {"secretNamespace",
       "Namespace of Kueue on the manager, where the Secrets and ClusterProfiles are that "
       "MultiKueueClusters name. Each Secret is read by its name, every 30 seconds; none is "
       "listed.",
       TextRef{&from.secret_namespace, TextRule::kDnsLabel}, ""},
      {"kubeconfigFolder",
       "Folder in which the kubeconfig files must be that MultiKueueClusters name "
       "(locationType: Path); others are refused. Relative paths start from this file's folder.",
       TextRef{&from.kubeconfig_folder, TextRule::kPath}, ""},
      {"clusterProfiles", "ClusterProfiles that are workers without a MultiKueueCluster.",
       ObjectRef{DescribeClusterProfiles(from.cluster_profiles)}, ""},
      {"accessProviders",
       "Who gives the credentials for ClusterProfiles, as multiKueue.clusterProfile."
       "accessProviders of Kueue's configuration; the first that a ClusterProfile lists is used.",
       AccessProviders(from.access_providers), ""},
  };
}

bool DiscoversWorkers(const WorkersFrom& from) {
  return from.multi_kueue_clusters || !from.cluster_profiles.ns.empty();
}

std::vector<std::string> ProfileNamespaces(const WorkersFrom& from) {
  std::vector<std::string> namespaces;
  if (from.access_providers.empty()) return namespaces;
  if (from.multi_kueue_clusters) namespaces.push_back(from.secret_namespace);
  const std::string& own = from.cluster_profiles.ns;
  if (!own.empty() && (namespaces.empty() || namespaces.front() != own)) namespaces.push_back(own);
  return namespaces;
}

}  // namespace fedra::config
