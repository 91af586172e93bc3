#include "manager/api/check_request.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/ascii.h"
#include "cluster-clients/kube/json_fields.h"
#include "cluster-clients/watch/object_cache.h"
#include "manager/report/document.h"
#include "manager/report/schema.h"

namespace fedra::api {

using report::ManifestFile;

namespace {

using nlohmann::json;

constexpr std::string_view kKind = "CheckRequest";
constexpr std::string_view kJson = "application/json";

std::string MediaType(std::string_view content_type) {
  std::string type = ToLower(content_type.substr(0, content_type.find(';')));
  while (type.ends_with(' ') || type.ends_with('\t')) type.pop_back();
  return type;
}

std::string WithoutFiles() {
  return fmt::format("{} has no files: there is nothing to check", kKind);
}

Result<std::vector<ManifestFile>> FilesOf(const json& document) {
  std::vector<ManifestFile> files;
  const json& all = kube::Member(document, "files");
  if (!all.is_array()) return Fail(ErrorCode::kInvalidArgument, WithoutFiles());
  for (const json& each : all) {
    const json& name = kube::Member(each, "name");
    const json& content = kube::Member(each, "content");
    if (!name.is_string() || !content.is_string())
      return Fail(ErrorCode::kInvalidArgument,
                  "files: each has a name and its content, which are texts");
    files.push_back({name.get<std::string>(), content.get<std::string>()});
  }
  if (files.empty()) return Fail(ErrorCode::kInvalidArgument, WithoutFiles());
  return files;
}

}  // namespace

std::vector<report::schema::NamedSchema> CheckRequestSchemas() {
  using report::schema::Always;
  using report::schema::ListOf;
  using report::schema::Object;
  using report::schema::Ref;
  using report::schema::Text;
  return {{"CheckRequest",
           Object("Manifests in several files. Other JSON is one manifest itself.",
                  {{"apiVersion", Always("fedra.dev/v1alpha1"), "The version of the document"},
                   {"kind", Always(kKind), "What document it is"},
                   {"files", ListOf(Ref("CheckFile")), "At least one"}})},
          {"CheckFile", Object("A file of manifests.", {{"name", Text(), "As findings name it"},
                                                        {"content", Text(), "YAML or JSON"}})}};
}

std::string CheckBody(const std::vector<ManifestFile>& files) {
  nlohmann::ordered_json document = report::Document(kKind);
  auto& list = document["files"] = nlohmann::ordered_json::array();
  for (const ManifestFile& file : files)
    list.push_back({{"name", file.name}, {"content", file.text}});
  // The command refuses files that are no UTF-8 before; here nothing may throw.
  return document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

bool TakesBody(std::string_view content_type) {
  const std::string type = MediaType(content_type);
  return type == kJson || type == "application/yaml" || type == "application/x-yaml";
}

Result<std::vector<ManifestFile>> FilesIn(const httpd::Request& request) {
  if (MediaType(httpd::HeaderOf(request, "content-type")) == kJson) {
    const Result<json> document = watch::ParseJson(request.body);
    if (!document)
      return Fail(ErrorCode::kInvalidArgument, "the body is no JSON: " + document.error().message);
    if (kube::Text(*document, "kind") == kKind) return FilesOf(*document);
  }
  return std::vector<ManifestFile>{{"-", request.body}};
}

}  // namespace fedra::api
