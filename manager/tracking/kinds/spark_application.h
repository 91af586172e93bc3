#pragma once
//
// The pods of a SparkApplication (sparkoperator.k8s.io/v1beta2). It has no pod templates: its
// driver and its executors are made of fields, on top of a template that each of them may have.
// Internal to tracking/kinds/. Pure.
//
// Sources: spark-operator 2.5.1, submission.go of internal/controller/sparkapplication and
// sparkpod_defaulter.go of internal/webhook; BasicDriverFeatureStep and BasicExecutorFeatureStep of
// Spark 3.5; the pod sets: pkg/controller/jobs/sparkapplication of Kueue 0.19.2, which leaves the
// templates' specs, the default of the cores and the overhead of the memory out.

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "manager/tracking/pod_set.h"

namespace fedra::tracking {

// The driver and the executors, as the operator and Spark make them: what decides where they fit,
// and the objects that they name. What only spec.sparkConf says is not seen.
std::vector<PodTemplate> SparkPods(const nlohmann::json& object);
// What of them Kueue counts in its quotas: what the fields ask for, and nothing where they do not
// (mutateSparkPod of sparkapplication_podset.go).
std::vector<PodTemplate> SparkCountedPods(const nlohmann::json& object);

}  // namespace fedra::tracking
