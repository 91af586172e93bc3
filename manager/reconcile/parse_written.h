#pragma once
//
// An API server's answer to a write, as the caches hold such objects. Pure.

#include <memory>
#include <string>
#include <utility>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "cluster-clients/watch/object_cache.h"
#include "manager/tracking/job.h"

namespace fedra::reconcile {

template <class T>
Result<std::shared_ptr<const T>> ParseWritten(const std::string& text,
                                              Result<T> (*parser)(const nlohmann::json&)) {
  FEDRA_ASSIGN_OR_RETURN(const nlohmann::json object, watch::ParseJson(text));
  FEDRA_ASSIGN_OR_RETURN(T value, parser(object));
  return std::make_shared<const T>(std::move(value));
}

inline Result<std::shared_ptr<const tracking::Job>> ParseWritten(
    const std::string& text, const tracking::JobAdapter& adapter) {
  FEDRA_ASSIGN_OR_RETURN(const nlohmann::json object, watch::ParseJson(text));
  FEDRA_ASSIGN_OR_RETURN(tracking::Job job, adapter.Parse(object));
  return std::make_shared<const tracking::Job>(std::move(job));
}

}  // namespace fedra::reconcile
