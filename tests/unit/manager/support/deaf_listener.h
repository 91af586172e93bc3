#pragma once
//
// A ManagerListener for tests that only read the manager.

#include "manager/reconcile/manager_cluster.h"

namespace fedra::reconcile {

inline ManagerListener DeafListener() {
  const auto nothing = [](const auto&) {};
  return {.on_kinds = nothing,
          .on_workload = nothing,
          .on_progress = nothing,
          .on_siblings = nothing,
          .on_checks = [] {},
          .on_check_status = [] {},
          .on_worker_cluster = [](const std::string&) {},
          .on_kueue_reach = nothing,
          .on_order = nothing,
          .on_queue_checks = nothing,
          .on_template = nothing,
          .on_template_use = nothing,
          .on_templates_health = [] {}};
}

}  // namespace fedra::reconcile
