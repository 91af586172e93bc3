#pragma once
//
// What must be read of a cluster for verdicts. A plain value.

#include <string>

#include "cluster-clients/kube/resource.h"

namespace fedra::watch {
class CacheSink;
}  // namespace fedra::watch

namespace fedra::verify {

// A resource that must be read, and where its objects go.
struct Input {
  kube::Resource resource;           // in the version that the server is read in
  watch::CacheSink* sink = nullptr;  // of the object that named this input, and as long-lived
  bool metadata_only = false;
  bool keeps_unserved = false;  // WatchSpec::keeps_unserved
  std::string labels = {};      // WatchSpec::labels
};

}  // namespace fedra::verify
