#include "manager/tracking/requirement.h"

#include <algorithm>

namespace fedra::tracking {
namespace {

std::vector<std::string> Names(const std::vector<PodSet>& pod_sets,
                               std::string dra::ClaimReference::* field) {
  std::vector<std::string> names;
  for (const PodSet& pod_set : pod_sets) {
    for (const dra::ClaimReference& claim : pod_set.claims) {
      const std::string& name = claim.*field;
      if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
    }
  }
  return names;
}

}  // namespace

int Requirement::Pods() const {
  int pods = 0;
  for (const PodSet& pod_set : pod_sets) pods += pod_set.count;
  return pods;
}

std::vector<std::string> Requirement::TemplateNames() const {
  return Names(pod_sets, &dra::ClaimReference::template_name);
}
std::vector<std::string> Requirement::ClaimNames() const {
  return Names(pod_sets, &dra::ClaimReference::claim_name);
}

}  // namespace fedra::tracking
