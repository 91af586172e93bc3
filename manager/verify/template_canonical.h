#pragma once
//
// The one form in which specs of ResourceClaimTemplates are kept and compared: that of
// resource.k8s.io/v1 with everything written out that an API server would add.
//
// Two API servers show the same template differently: v1beta1 has the members of `exactly` beside
// the request's name, `metadata: {}` comes and goes, a manifest has no defaults. None of that is a
// difference. Members that are not known here are kept as they are, so that a copy loses nothing.
//
// Source: resource.k8s.io v1, v1beta2 and v1beta1 as Kubernetes 1.36.3 serves them. Pure functions.

#include <nlohmann/json_fwd.hpp>

namespace fedra::verify {

// `spec` of a ResourceClaimTemplate: {"metadata": ..., "spec": {"devices": ...}}. Whatever it is,
// the result is well-formed JSON; what has not the expected shape is left alone.
nlohmann::json CanonicalTemplateSpec(nlohmann::json spec);

// A canonical spec as resource.k8s.io/v1beta1 wants it.
nlohmann::json TemplateSpecInV1Beta1(nlohmann::json canonical);

}  // namespace fedra::verify
