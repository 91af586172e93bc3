#include "manager/api/rights.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "manager/api/changes.h"
#include "manager/report/job_name.h"
#include "manager/report/viewer_roles.h"

namespace fedra::api {

std::string DenialText(const access::Attributes& missing, std::string_view role) {
  return fmt::format("you may not {} (a right on the manager, in the ClusterRole {})",
                     access::TextOf(missing), role);
}

namespace {

using access::Attributes;
using access::Purpose;
using access::Refusal;

template <class T>
using Answered = tl::expected<T, Refusal>;

Attributes Fleet() { return {.verb = "get", .path = std::string(kFleetPath)}; }
Attributes Workloads(const std::string& verb, const std::string& ns) {
  return {.verb = verb, .group = "kueue.x-k8s.io", .resource = "workloads", .ns = ns};
}
Attributes PodLogs(const std::string& ns) {
  return {.verb = "get", .resource = "pods", .subresource = "log", .ns = ns};
}
Attributes Templates() {
  return {.verb = "list", .group = "resource.k8s.io", .resource = "resourceclaimtemplates"};
}

// The role that gives a right is that of deploy/viewer-rbac.yaml.
tl::unexpected<Refusal> Denied(const Attributes& attributes) {
  const bool of_jobs = attributes.resource == "workloads" || attributes.resource == "pods";
  return tl::make_unexpected(Refusal{
      403, DenialText(attributes, of_jobs ? report::kJobViewerRole : report::kFleetViewerRole)});
}

Answered<Viewer> OfFleet(const May& may, const std::vector<Attributes>& all) {
  for (const Attributes& attributes : all) {
    const Answered<bool> allowed = may(attributes, Purpose::kRequest);
    if (!allowed) return tl::make_unexpected(allowed.error());
    if (!*allowed) return Denied(attributes);
  }
  // Who may list the jobs of all namespaces sees what is here of them, too.
  const Answered<bool> everywhere = may(Workloads("list", ""), Purpose::kRequest);
  if (!everywhere) return tl::make_unexpected(everywhere.error());
  return Viewer{.fleet = true, .everywhere = *everywhere};
}

// Those of `all` that `attributes_in` of which is allowed.
Answered<std::set<std::string>> Allowed(
    const May& may, const std::set<std::string>& all,
    const std::function<Attributes(const std::string&)>& attributes_in,
    Purpose purpose = Purpose::kRequest) {
  std::set<std::string> allowed;
  for (const std::string& ns : all) {
    const Answered<bool> each = may(attributes_in(ns), purpose);
    if (!each) return tl::make_unexpected(each.error());
    if (*each) allowed.insert(ns);
  }
  return allowed;
}

// Sets `everywhere`, or `namespaces`: those of `all` with the verb on Workloads.
Answered<void> SeeJobs(const May& may, const std::string& verb, const std::set<std::string>& all,
                       Viewer& viewer, Purpose purpose = Purpose::kRequest) {
  auto allowed =
      Allowed(may, all, [&](const std::string& ns) { return Workloads(verb, ns); }, purpose);
  if (!allowed) return tl::make_unexpected(allowed.error());
  viewer.namespaces = *std::move(allowed);
  return {};
}

// What does not depend on a namespace. `verb`: on Workloads.
Answered<Viewer> AtLarge(const May& may, const std::string& verb) {
  Viewer viewer;
  const Answered<bool> fleet = may(Fleet(), Purpose::kRequest);
  if (!fleet) return tl::make_unexpected(fleet.error());
  viewer.fleet = *fleet;
  const Answered<bool> everywhere = may(Workloads(verb, ""), Purpose::kRequest);
  if (!everywhere) return tl::make_unexpected(everywhere.error());
  viewer.everywhere = *everywhere;
  return viewer;
}

Answered<Viewer> OfList(const Parameters& asked, View view, const May& may,
                        const std::function<Result<std::set<std::string>>()>& namespaces) {
  Answered<Viewer> at_large = AtLarge(may, "list");
  if (!at_large || at_large->everywhere) return at_large;
  Viewer viewer = *std::move(at_large);
  const std::string ns = asked.Text("namespace");
  if (!ns.empty()) {
    if (const auto seen = SeeJobs(may, "list", {ns}, viewer); !seen)
      return tl::make_unexpected(seen.error());
    if (viewer.namespaces.empty()) return Denied(Workloads("list", ns));
    return viewer;
  }
  const Result<std::set<std::string>> known = namespaces();
  if (!known) return tl::make_unexpected(Refusal{503, "the store cannot be read"});
  const bool are_few = known->size() <= kMostNamespaces;
  if (are_few) {
    if (const auto seen = SeeJobs(may, "list", *known, viewer, Purpose::kProbe); !seen)
      return tl::make_unexpected(seen.error());
  }
  // The same words whether there are none, or too many to be asked about.
  const bool has_more_to_see = view == View::kStatus && viewer.fleet;
  if (viewer.namespaces.empty() && !has_more_to_see)
    return tl::make_unexpected(
        Refusal{403, fmt::format("you may not {}: name one that you may (namespace=)",
                                 TextOf(Workloads("list", "")))});
  return viewer;
}

// The namespaces that the word may mean; empty: in any.
std::set<std::string> NamespacesIn(const std::vector<report::JobName>& names) {
  std::set<std::string> all;
  for (const report::JobName& name : names) all.insert(name.key.ns);
  return all;
}

// By job: the namespaces that it may be of.
Answered<std::vector<std::set<std::string>>> NamespacesOf(const Parameters& asked) {
  std::vector<std::set<std::string>> all;
  for (const std::string& job : asked.List("job")) {
    const auto names = report::ParseWorkloadName(job, asked.Text("namespace"));
    if (!names) return tl::make_unexpected(Refusal{400, names.error().message});
    all.push_back(NamespacesIn(*names));
  }
  return all;
}

Answered<Viewer> OfJobs(const Parameters& asked, const May& may) {
  const auto by_job = NamespacesOf(asked);
  if (!by_job) return tl::make_unexpected(by_job.error());
  Answered<Viewer> at_large = AtLarge(may, "get");
  if (!at_large) return at_large;
  Viewer viewer = *std::move(at_large);
  std::set<std::string> meant;
  for (const auto& namespaces : *by_job) meant.insert(namespaces.begin(), namespaces.end());
  if (!viewer.everywhere) {
    meant.erase("");
    if (const auto seen = SeeJobs(may, "get", meant, viewer); !seen)
      return tl::make_unexpected(seen.error());
    for (std::set<std::string> namespaces : *by_job) {
      namespaces.erase("");
      if (namespaces.empty())
        return tl::make_unexpected(Refusal{403, fmt::format("you may not {}: write NAMESPACE/NAME",
                                                            TextOf(Workloads("get", "")))});
      const auto is_seen = [&](const std::string& ns) { return viewer.namespaces.contains(ns); };
      if (std::ranges::none_of(namespaces, is_seen))
        return Denied(Workloads("get", *namespaces.begin()));
    }
    meant = viewer.namespaces;
  }
  // Of each that may be shown, or else of none.
  const auto logs = Allowed(may, meant, PodLogs);
  if (!logs) return tl::make_unexpected(logs.error());
  viewer.logs = logs->size() == meant.size();
  return viewer;
}

// Only those who may read something get events about it: each topic takes its own right, and what
// the reader may not have is left out. The daemon's own state is for all who may have another one.
Answered<Viewer> OfWatch(const Parameters& asked, const May& may,
                         const std::function<Result<std::set<std::string>>()>& namespaces) {
  std::optional<Attributes> missing;
  const May may_both = [&](const Attributes& attributes, Purpose purpose) -> Answered<bool> {
    Answered<bool> asks = may(attributes, purpose);
    if (!asks || !*asks) return asks;
    Attributes watch = attributes;
    watch.verb = "watch";
    Answered<bool> watches = may(watch, purpose);
    if (watches && !*watches) missing = watch;
    return watches;
  };
  const Topics topics = TopicsOf(asked);
  const bool of_jobs = topics.jobs || topics.daemon;
  const bool of_workers = topics.workers || topics.daemon;
  Answered<Viewer> viewer =
      of_jobs ? OfList(asked, of_workers ? View::kStatus : View::kJobs, may_both, namespaces)
              : OfFleet(may_both, {Fleet()});
  if (viewer || viewer.error().status != 403) return viewer;
  if (of_jobs && of_workers) {
    const Answered<bool> fleet = may_both(Fleet(), Purpose::kRequest);
    if (!fleet) return tl::make_unexpected(fleet.error());
    if (*fleet) return Viewer{.fleet = true};
  }
  return missing ? Denied(*missing) : viewer;
}

// What manifests are about: the namespace of those that name none, which is asked about before any
// is read, and every namespace in them.
Answered<Viewer> OfManifests(const Parameters& asked, const May& may,
                             const std::function<Result<std::set<std::string>>()>& namespaces) {
  Answered<Viewer> at_large = AtLarge(may, "get");
  if (!at_large || at_large->everywhere) return at_large;
  Viewer viewer = *std::move(at_large);
  if (const std::string ns = asked.Text("namespace"); !ns.empty()) {
    if (const auto seen = SeeJobs(may, "get", {ns}, viewer); !seen)
      return tl::make_unexpected(seen.error());
    if (viewer.namespaces.empty()) return Denied(Workloads("get", ns));
  }
  const Result<std::set<std::string>> meant = namespaces();
  if (!meant) {
    const bool is_wrong = meant.error().code == ErrorCode::kInvalidArgument;
    return tl::make_unexpected(Refusal{is_wrong ? 400 : 503, meant.error().message});
  }
  if (meant->empty()) return Denied(Workloads("get", ""));
  if (meant->size() > kMostNamespaces)
    return tl::make_unexpected(
        Refusal{400, fmt::format("the manifests are of more than {} namespaces", kMostNamespaces)});
  if (const auto seen = SeeJobs(may, "get", *meant, viewer); !seen)
    return tl::make_unexpected(seen.error());
  for (const std::string& ns : *meant)
    if (!viewer.namespaces.contains(ns)) return Denied(Workloads("get", ns));
  return viewer;
}

}  // namespace

Answered<Viewer> ViewerOf(const Route& route, const Parameters& asked, const May& may,
                          const std::function<Result<std::set<std::string>>()>& namespaces) {
  // What every release's documentation says.
  if (route.topic == Topic::kCatalogue) return Viewer{};
  if (route.topic == Topic::kDevices) return OfFleet(may, {Fleet()});
  // It names the jobs and claims that hold devices, of every namespace.
  if (route.topic == Topic::kDeviceMap) return OfFleet(may, {Fleet(), Workloads("list", "")});
  if (route.topic == Topic::kTemplates) return OfFleet(may, {Fleet(), Templates()});
  if (route.topic == Topic::kStream) return OfWatch(asked, may, namespaces);
  if (route.topic == Topic::kCheck) return OfManifests(asked, may, namespaces);
  if (route.topic == Topic::kView) {
    switch (route.view) {
      case View::kWorkers:
        return OfFleet(may, {Fleet()});
      case View::kStatus:
      case View::kJobs:
      case View::kCounts:
        return OfList(asked, route.view, may, namespaces);
      case View::kJob:
      case View::kWhy:
      case View::kHistory:
        return OfJobs(asked, may);
    }
  }
  // What has no rule is served to no user.
  return tl::make_unexpected(
      Refusal{403, fmt::format("{} is not served here: ask over the Unix socket", route.path)});
}

}  // namespace fedra::api
