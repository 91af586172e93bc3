#pragma once
//
// What is listed and watched of a cluster. Plain values.

#include <string>

#include "cluster-clients/kube/resource.h"
#include "cluster-clients/watch/list_bounds.h"

namespace fedra {

struct WatchSpec {
  kube::Resource resource;
  // Only metadata is wanted: the rest (a Secret's data, for one) never leaves the server.
  bool metadata_only = false;
  // When the server answers 404 for the whole resource, what is known stays: for objects whose
  // absence is acted upon, only a list proves it. Otherwise the sink is emptied.
  bool keeps_unserved = false;
  std::string ns = {};      // only the objects of this namespace; empty: all
  std::string labels = {};  // only those that this label selector selects; empty: all
  watch::ListBounds bounds = {};
};

}  // namespace fedra
