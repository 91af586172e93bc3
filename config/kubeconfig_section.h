#pragma once
//
// One map of a kubeconfig and what is read from it; problems are collected. Private to
// this folder.
//
// Lifetime: the node and the reading must outlive the section. Thread rules: one thread.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/kubeconfig.h"
#include "config/yaml_tree.h"

namespace fedra::config {

// What is known so far about the one cluster that is being read.
struct KubeconfigReading {
  std::string path;  // of the kubeconfig
  KubeconfigOptions options;
  KubeAccess access;
  Problems problems;
};

// A PEM or token and the key it was read from; `key` is empty when neither form was given.
struct Credential {
  std::string text;
  std::string_view key;
};

class KubeconfigSection final {
 public:
  // Reports it when `node` is not a map or has a key twice; reads from it then find nothing.
  KubeconfigSection(KubeconfigReading& reading, const YamlNode& node, std::string path);

  bool Has(std::string_view key) const;
  // Empty when the key is absent, null or no string (which is a problem).
  std::string Text(std::string_view key);
  bool Flag(std::string_view key);
  std::vector<std::string> TextList(std::string_view key);
  const YamlNode* Child(std::string_view key) const;

  // Base64 data of `data_key`, else the content of the file that `file_key` names: the precedence
  // of client-go. The file becomes one that the access depends on, readable or not.
  Credential DataOrFile(std::string_view data_key, std::string_view file_key);
  // The content of a file named by `key`.
  std::string File(std::string_view key);
  // The absolute path that `key` names; empty when absent, or when it is refused: a foreign
  // kubeconfig may name none.
  std::string FilePath(std::string_view key);

  void Problem(std::string_view key, std::string problem, std::string hint = "");
  void Warning(std::string_view key, std::string problem, std::string hint = "");

 private:
  config::Problem Make(std::string_view key, std::string problem, std::string hint) const;

  KubeconfigReading& reading_;
  const YamlNode& node_;
  const std::string path_;
};

// Fill reading.access from the chosen entries.
void ReadClusterEntry(KubeconfigReading& reading, const YamlNode& cluster, const std::string& path);
void ReadUserEntry(KubeconfigReading& reading, const YamlNode& user, const std::string& path);
void ReadExecEntry(KubeconfigReading& reading, const YamlNode& exec, const std::string& path);

// Problems and warnings about the dates of CA certificates; shared with the in-cluster case.
struct PemFinding {
  bool fatal;
  std::string problem;
  std::string hint;
};
std::optional<PemFinding> CheckCaBundle(const std::string& pem, WallTime now);

}  // namespace fedra::config
