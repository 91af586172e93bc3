#pragma once
//
// Manifests of resource.k8s.io in the shape of v1, to show people what to write: unlike
// verify::CanonicalTemplateSpec nothing is added. Pure.
//
// Source: conversion of resource.k8s.io in Kubernetes 1.36: v1beta2 has the shape of v1; v1beta1
// and v1alpha3 have the fields of `exactly` beside the request's name.

#include <nlohmann/json_fwd.hpp>

namespace fedra::cli {

// The members of a request that v1 has below `exactly`.
bool IsFieldOfExactly(const char* member);

// The same object as resource.k8s.io/v1. `spec` that cannot be understood stays as it is.
nlohmann::ordered_json ToV1(const nlohmann::json& object);

}  // namespace fedra::cli
