#pragma once
//
// SparkApplication (sparkoperator.k8s.io/v1beta2): its pods are made of fields, nothing in it says
// who runs it, and a copy may not name its Workload. Source: pkg/controller/jobs/sparkapplication
// of Kueue 0.19.2, and spark-operator 2.5.1.
//
// Thread rules: constants and pure functions.

#include "tests/sim/kinds/job_kind.h"

namespace fedra::sim {

JobKind SparkApplication();

}  // namespace fedra::sim
