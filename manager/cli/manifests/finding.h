#pragma once
//
// Mistakes in manifests, as `fedra check` reports them before any API server would. Plain values.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "config/yaml_places.h"
#include "manager/report/manifest_file.h"
#include "manager/text/output.h"

namespace fedra::cli {

// One document of a file.
struct Manifest {
  std::string file;
  int document = 1;                              // from 1
  std::shared_ptr<const nlohmann::json> object;  // never null
  config::YamlPlaces places = {};
  std::string prefix = {};  // of an item of a List, where it is in the document: "items[2]"

  // Where the value at `path` of the object stands in the file.
  config::Mark Find(const std::string& path) const;
};

using report::ManifestFile;

// "-": standard input; of a folder its *.yaml, *.yml and *.json. kNotFound, kInvalidArgument.
Result<std::vector<ManifestFile>> ReadFiles(const std::vector<std::string>& paths);
// What manifests may take that a client has sent, all files together.
struct ManifestBounds {
  size_t documents = 0;
  size_t values = 0;  // those that aliases repeat each time
  size_t bytes = 0;   // of JSON; of one file also what copies for aliases take
};
// Their documents; the items of a List are documents of their own. `bounds`: nothing: those of
// ReadYaml() for each file. kInvalidArgument.
Result<std::vector<Manifest>> ParseManifests(const std::vector<ManifestFile>& files,
                                             const std::optional<ManifestBounds>& bounds = {});

// "job.yaml (document 2)". Not "job.yaml:2": that would be a line.
std::string PlaceOf(const std::string& file, int document);

// "spec.containers" for the member of an object at `path`; an empty one: a whole
// manifest. Of a name with dots `labels["a.b"]`.
std::string PathTo(const std::string& path, const std::string& member);

enum class Severity {
  kWarning,  // allowed, but rarely meant
  kNowhere,  // allowed, but it can be had on no worker
  kError,    // an API server would refuse it, or its pods could never start
};

struct Finding {
  Severity severity = Severity::kError;
  std::string file;
  int document = 1;
  std::string object;  // "ResourceClaimTemplate ml/one-gpu"
  std::string path;    // "spec.spec.devices.requests[0].exactly.selectors[0]"; may be empty
  std::string message;
  std::string hint;        // what to write instead; lines; may be empty
  config::Mark mark = {};  // where it is in the file; zeros: not known
};

// The place that is being checked: every finding is reported from here.
class Findings final {
 public:
  Findings(const Manifest& manifest, std::string object, std::vector<Finding>& all)
      : manifest_(manifest), object_(std::move(object)), all_(all) {}

  void Add(Severity severity, std::string path, std::string message, std::string hint = {}) {
    const std::string place = path;
    AddAt(severity, place, std::move(path), std::move(message), std::move(hint));
  }
  // The same about `path`, pointing at the value at `place`.
  void AddAt(Severity severity, const std::string& place, std::string path, std::string message,
             std::string hint) {
    has_error_ |= severity == Severity::kError;
    all_.push_back({severity, manifest_.file, manifest_.document, object_, std::move(path),
                    std::move(message), std::move(hint), manifest_.Find(place)});
  }
  void Error(std::string path, std::string message, std::string hint = {}) {
    Add(Severity::kError, std::move(path), std::move(message), std::move(hint));
  }
  void Warn(std::string path, std::string message, std::string hint = {}) {
    Add(Severity::kWarning, std::move(path), std::move(message), std::move(hint));
  }

  bool has_error() const { return has_error_; }

 private:
  const Manifest& manifest_;
  const std::string object_;
  std::vector<Finding>& all_;
  bool has_error_ = false;
};

// "job.yaml:12:9: error: ResourceClaimTemplate ml/one-gpu: spec...: what is wrong", the hint below
// it. Without a known place "job.yaml (document 2)".
std::string RenderFindings(const std::vector<Finding>& findings, const text::Style& style);
nlohmann::ordered_json ToJson(const std::vector<Finding>& findings);

}  // namespace fedra::cli
