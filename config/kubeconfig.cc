#include "config/kubeconfig.h"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/files.h"
#include "config/kubeconfig_section.h"
#include "config/yaml_tree.h"

namespace fedra::config {
namespace {

constexpr YamlLimits kKubeconfigLimits{
    .bytes = size_t{16} << 20, .nodes = 1'000'000, .depth = 50, .alias_bytes = size_t{4} << 20};

// One named entry of the lists clusters, users and contexts.
struct Entry {
  const YamlNode* value = nullptr;
  std::string path;
};

class Reader final {
 public:
  Reader(const YamlNode& root, KubeconfigReading& reading)
      : reading_(reading), top_(reading, root, ""), root_(root) {}

  void Read() {
    if (root_.kind != YamlNode::Kind::kMap) return;  // already reported
    CheckKind();
    const std::string name = ContextName();
    if (name.empty()) return;
    const Entry context = Find("contexts", "context", name, "context");
    if (context.value == nullptr) return;
    reading_.access.context = name;
    KubeconfigSection section(reading_, *context.value, context.path);
    const std::string cluster_name = section.Text("cluster");
    const std::string user_name = section.Text("user");
    if (cluster_name.empty()) {
      section.Problem("cluster", "is required");
    } else if (const Entry cluster = Find("clusters", "cluster", cluster_name, "cluster");
               cluster.value) {
      ReadClusterEntry(reading_, *cluster.value, cluster.path);
    }
    if (user_name.empty()) return;  // anonymous
    if (const Entry user = Find("users", "user", user_name, "user"); user.value) {
      ReadUserEntry(reading_, *user.value, user.path);
    }
  }

 private:
  void CheckKind() {
    const std::string kind = top_.Text("kind");
    const std::string version = top_.Text("apiVersion");
    if (!kind.empty() && kind != "Config")
      top_.Problem("kind", "must be Config", "is this a kubeconfig?");
    if (!version.empty() && version != "v1") top_.Problem("apiVersion", "must be v1");
  }

  std::string ContextName() {
    if (!reading_.options.context.empty()) return reading_.options.context;
    std::string current = top_.Text("current-context");
    if (current.empty()) {
      top_.Problem("current-context", "is not set, and no context was asked for",
                   Known("contexts"));
    }
    return current;
  }

  // The names in a list, for hints.
  std::string Known(std::string_view list) const {
    std::vector<std::string> names;
    if (const YamlNode* node = root_.Find(list)) {
      for (const YamlNode& item : node->items) {
        const YamlNode* name = item.Find("name");
        if (name != nullptr && names.size() < 10) names.push_back(name->scalar);
      }
    }
    return names.empty() ? fmt::format("{} is empty", list)
                         : fmt::format("known: {}", fmt::join(names, ", "));
  }

  Entry Find(std::string_view list, std::string_view key, const std::string& name,
             std::string_view what) {
    const YamlNode* node = top_.Child(list);
    if (node != nullptr && node->kind != YamlNode::Kind::kList) {
      top_.Problem(list, "must be a list");
      return {};
    }
    for (size_t i = 0; node != nullptr && i < node->items.size(); ++i) {
      const YamlNode* item_name = node->items[i].Find("name");
      if (item_name == nullptr || item_name->scalar != name) continue;
      const YamlNode* value = node->items[i].Find(key);
      const std::string path = fmt::format("{}[{}].{}", list, i, key);
      if (value != nullptr && !value->IsNull()) return {value, path};
      reading_.problems.push_back({reading_.path, node->items[i].mark, path, "is required", ""});
      return {};
    }
    top_.Problem(list, fmt::format("no {} \"{}\"", what, name), Known(list));
    return {};
  }

  KubeconfigReading& reading_;
  KubeconfigSection top_;
  const YamlNode& root_;
};

ClusterAccess Finish(KubeconfigReading reading) {
  if (reading.problems.empty()) return std::move(reading.access);
  return tl::make_unexpected(AccessFailure{std::move(reading.problems),
                                           std::move(reading.access.files),
                                           reading.access.credential_times});
}

}  // namespace

ClusterAccess ParseKubeconfig(const std::string& text, const std::string& path,
                              const KubeconfigOptions& options) {
  KubeconfigReading reading{path, options, {}, {}};
  if (!options.foreign) reading.access.files.push_back(path);
  const auto documents = ParseYaml(text, path, kKubeconfigLimits);
  if (!documents) {
    reading.problems.push_back(documents.error());
  } else if (documents->size() != 1) {
    reading.problems.push_back(
        {path, {}, "", documents->empty() ? "is empty" : "has more than one document", ""});
  } else {
    Reader(documents->front(), reading).Read();
  }
  return Finish(std::move(reading));
}

ClusterAccess ReadKubeconfig(const std::string& path, const KubeconfigOptions& options) {
  const auto text = ReadSmallFile(path, kKubeconfigLimits.bytes);
  if (text) return ParseKubeconfig(*text, path, options);
  return tl::make_unexpected(AccessFailure{{{path, {}, "", text.error(), ""}}, {path}});
}

std::array<std::string, 3> ServerKey(const KubeAccess& access) {
  return {access.server, access.tls_server_name, access.proxy_url};
}

std::string Summary(const KubeAccess& access) {
  std::string_view who = "anonymous";
  if (!access.client_certificate_pem.empty()) who = "client certificate";
  if (!access.token.empty()) who = "token";
  if (!access.token_file.empty()) who = "token file";
  if (!access.username.empty()) who = "user name and password";
  if (access.exec) who = "exec plugin";
  return fmt::format("{} ({})", access.server, who);
}

}  // namespace fedra::config
