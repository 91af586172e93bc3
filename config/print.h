#pragma once
//
// The configuration as text for people: all defaults with comments, the effective values, the
// reference page. All three come from the one description of the file in config/schema.cc. Thread
// rules: pure functions.

#include <string>

#include "config/configuration.h"

namespace fedra::config {

// A commented YAML file with every key and its default. Keys without a default are commented out;
// with the manager's kubeconfig filled in it is a valid configuration.
std::string PrintDefaults();

// The effective configuration as YAML that Parse accepts. The file holds no credentials, only the
// paths of files that do; those are not opened.
std::string View(const Configuration& configuration);

// docs/configuration.md: one table row per key.
std::string ReferencePage();

}  // namespace fedra::config
