// Mistakes in the specs of ResourceClaims, ResourceClaimTemplates and DeviceClasses.

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cel/derived_attribute.h"
#include "cel/selector.h"
#include "manager/cli/manifests/manifest_check.h"
#include "manager/cli/manifests/manifest_constraint.h"
#include "manager/cli/manifests/manifest_fields.h"
#include "manager/cli/manifests/manifest_outdated.h"
#include "manager/cli/manifests/manifest_request.h"
#include "manager/cli/manifests/manifest_v1.h"
#include "manager/text/yaml_text.h"
#include "manager/tracking/json_fields.h"

namespace fedra::cli {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using tracking::Member;
using tracking::Text;

// Limits of resource.k8s.io/v1.
constexpr size_t kMaxRequests = 32;
constexpr size_t kMaxConstraints = 32;
constexpr size_t kMaxAlternatives = 8;
constexpr size_t kMaxDerived = 32;

constexpr size_t kMaxConfigs = 32;

// Of the types of resource.k8s.io; everything in them is decisive.
const FieldList kClassSpec = {{"selectors", "config", "extendedResourceName"}};
const FieldList kTemplateSpec = {{"metadata", "spec"}};
const FieldList kClaimSpec = {{"devices"}};
const FieldList kDevices = {{"requests", "constraints", "config"}};
const FieldList kExactly = {{"deviceClassName", "selectors", "allocationMode", "count",
                             "adminAccess", "tolerations", "capacity", "derivedAttributes"}};
const FieldList kAlternative = {{"name", "deviceClassName", "selectors", "allocationMode", "count",
                                 "tolerations", "capacity", "derivedAttributes"}};
const FieldList kDerived = {{"name", "expression"}};
const FieldList kSelector = {{"cel"}};
const FieldList kCel = {{"expression"}};
const FieldList kConfig = {{"requests", "opaque"}};
const FieldList kOpaque = {{"driver", "parameters"}};

// Checks one claim's spec; `flat` where the version has requests without `exactly`.
class ClaimCheck final {
 public:
  ClaimCheck(bool flat, Findings& findings) : flat_(flat), findings_(findings) {}

  void Spec(const json& spec, const std::string& path);
  void Selectors(const json& owner, const std::string& path);
  void Config(const json& owner, const std::string& path);
  void Known(const json& object, const std::string& path, const FieldList& known) {
    CheckFields(object, path, known, findings_);
  }

 private:
  void Request(const json& request, const std::string& path);
  void Alternatives(const json& request, const std::string& path);
  void Devices(const json& request, const std::string& path);
  void Derived(const json& request, const std::string& path);
  void Name(const json& owner, const std::string& path, std::set<std::string>& names);
  // each(element, path of the element)
  template <class F>
  void ForEach(const json& owner, const char* member, const std::string& path, size_t limit, F&& f);

  const bool flat_;
  Findings& findings_;
  std::set<std::string> requests_;  // "req" and "req/sub"
};

template <class F>
void ClaimCheck::ForEach(const json& owner, const char* member, const std::string& path,
                         size_t limit, F&& each) {
  const json& list = Member(owner, member);
  if (list.is_null()) return;
  const std::string here = fmt::format("{}.{}", path, member);
  if (!list.is_array()) return findings_.Error(here, "must be a list");
  if (list.size() > limit)
    findings_.Error(here,
                    fmt::format("has {} entries; at most {} are allowed", list.size(), limit));
  for (size_t i = 0; i < list.size(); ++i) {
    const std::string at = fmt::format("{}[{}]", here, i);
    if (list[i].is_object())
      each(list[i], at);
    else
      findings_.Error(at, "must be an object");
  }
}

void ClaimCheck::Name(const json& owner, const std::string& path, std::set<std::string>& names) {
  const std::string name = Text(owner, "name");
  if (name.empty()) return findings_.Error(path + ".name", "is missing");
  if (!names.insert(name).second)
    findings_.Error(path + ".name", fmt::format("\"{}\" is there twice", name));
}

void ClaimCheck::Selectors(const json& owner, const std::string& path) {
  ForEach(owner, "selectors", path, kMaxRequests, [&](const json& selector, const std::string& at) {
    const json& expression = Member(Member(selector, "cel"), "expression");
    if (!expression.is_string()) {
      return findings_.Error(at, "has no cel.expression",
                             "write - cel: {expression: 'device.driver == \"gpu.example.com\"'}");
    }
    const auto compiled = cel::CompileSelector(expression.get_ref<const std::string&>());
    if (!compiled) {
      return findings_.Error(at + ".cel.expression", compiled.error().ToString(),
                             compiled.error().advice);
    }
    for (const std::string& warning : compiled->warnings())
      findings_.Warn(at + ".cel.expression", warning);
    Known(selector, at, kSelector);
    Known(Member(selector, "cel"), at + ".cel", kCel);
  });
}

void ClaimCheck::Config(const json& owner, const std::string& path) {
  ForEach(owner, "config", path, kMaxConfigs, [&](const json& config, const std::string& at) {
    Known(config, at, kConfig);
    Known(Member(config, "opaque"), at + ".opaque", kOpaque);
  });
}

// As a scheduler of 1.37 compiles them, the first that has them.
void ClaimCheck::Derived(const json& request, const std::string& path) {
  cel::SelectorOptions options;
  options.release = cel::KubernetesRelease::k137;
  options.list_attributes = true;
  ForEach(
      request, "derivedAttributes", path, kMaxDerived,
      [&](const json& attribute, const std::string& at) {
        Known(attribute, at, kDerived);
        if (Text(attribute, "name").find('/') == std::string::npos)
          findings_.Error(at + ".name", "is no qualified name",
                          "write a domain in front of it, as in derived/numa");
        const auto compiled = cel::CompileDerivedAttribute(Text(attribute, "expression"), options);
        if (!compiled)
          findings_.Error(at + ".expression", compiled.error().ToString(), compiled.error().advice);
      });
  if (!Member(request, "derivedAttributes").empty())
    findings_.Warn(path + ".derivedAttributes",
                   "an API server without the gate DRADerivedAttributes, which is alpha in "
                   "Kubernetes 1.37 and off by default, drops it without a word");
}

void ClaimCheck::Devices(const json& request, const std::string& path) {
  if (Text(request, "deviceClassName").empty())
    findings_.Error(path + ".deviceClassName", "is missing", "name the DeviceClass of the devices");
  CheckCount(request, path, findings_);
  CheckTolerations(request, path, findings_);
  CheckCapacity(request, path, findings_);
  Selectors(request, path);
  Derived(request, path);
}

void ClaimCheck::Alternatives(const json& request, const std::string& path) {
  const std::string name = Text(request, "name");
  std::set<std::string> names;
  ForEach(request, "firstAvailable", path, kMaxAlternatives,
          [&](const json& alternative, const std::string& at) {
            Name(alternative, at, names);
            Known(alternative, at, kAlternative);
            Devices(alternative, at);
          });
  for (const std::string& alternative : names) requests_.insert(name + "/" + alternative);
}

void ClaimCheck::Request(const json& request, const std::string& path) {
  Name(request, path, requests_);
  const bool exactly = !Member(request, "exactly").is_null();
  const bool alternatives = !Member(request, "firstAvailable").is_null();
  FieldList known = {{"name", "exactly", "firstAvailable"}};
  ordered_json moved = ordered_json::object();
  for (const auto& [member, value] : request.items())
    if (IsFieldOfExactly(member.c_str())) moved[member] = value;
  if (!moved.empty()) {
    known.decisive.insert(known.decisive.end(), kExactly.decisive.begin(), kExactly.decisive.end());
  }
  Known(request, path, known);
  if (flat_ && !moved.empty()) {
    Devices(request, path);
  } else if (!moved.empty() && !exactly) {
    ordered_json written = ordered_json::object();
    written["name"] = Text(request, "name");
    written["exactly"] = moved;
    findings_.Error(path, "the fields of a request stand below exactly since v1beta2",
                    "write\n" + text::ToYaml(ordered_json::array({written})));
    Devices(request, path);
  }
  if (flat_ && exactly) {
    findings_.Error(path + ".exactly", "is not known in this version",
                    "write apiVersion: resource.k8s.io/v1");
  }
  if (exactly && alternatives)
    findings_.Error(path, "has both exactly and firstAvailable", "keep one of the two");
  if (!exactly && !alternatives && moved.empty()) {
    findings_.Error(path, "asks for nothing",
                    "write exactly: {deviceClassName: ...}, or a list firstAvailable");
  }
  if (exactly) {
    Known(Member(request, "exactly"), path + ".exactly", kExactly);
    Devices(Member(request, "exactly"), path + ".exactly");
  }
  Alternatives(request, path);
}

void ClaimCheck::Spec(const json& spec, const std::string& path) {
  Known(spec, path, kClaimSpec);
  const json& devices = Member(spec, "devices");
  const std::string here = path + ".devices";
  if (!devices.is_object())
    return findings_.Error(here, "is missing", "a claim that asks for nothing gets nothing");
  Known(devices, here, kDevices);
  if (Member(devices, "requests").empty())
    findings_.Warn(here + ".requests", "is empty: a claim that asks for nothing gets nothing");
  ForEach(devices, "requests", here, kMaxRequests,
          [&](const json& request, const std::string& at) { Request(request, at); });
  CheckTotal(devices, here, findings_);
  ForEach(devices, "constraints", here, kMaxConstraints,
          [&](const json& constraint, const std::string& at) {
            CheckConstraint(constraint, at, requests_, findings_);
          });
  Config(devices, here);
}

// Whether the document can be checked any further.
bool CheckVersion(const Manifest& manifest, Findings& findings) {
  const std::string api = Text(*manifest.object, "apiVersion");
  const std::string version = api.substr(std::min(api.size(), api.find('/') + 1));
  if (version == "v1") return true;
  const std::string v1 = "write\n" + text::ToYaml(ToV1(*manifest.object));
  if (version == "v1beta2" || version == "v1beta1") {
    findings.Warn("apiVersion",
                  fmt::format("{} is going away; v1 is served since Kubernetes 1.34", api), v1);
    return true;
  }
  if (version == "v1alpha3") {
    findings.Error("apiVersion", api + " is not served any more since Kubernetes 1.32", v1);
    return true;
  }
  const std::string_view releases = ReleasesOf(version);
  findings.Error(
      "apiVersion",
      fmt::format(
          "{} is not served by any Kubernetes that is still maintained{}", api,
          releases.empty() ? std::string() : fmt::format("; it is of Kubernetes {}", releases)),
      version == "v1alpha2"
          ? "resourceClassName and parametersRef became spec.devices.requests[].exactly with "
            "deviceClassName, selectors and config of resource.k8s.io/v1"
          : "write resource.k8s.io/v1");
  return false;
}

}  // namespace

bool IsDraManifest(const json& object) {
  const std::string kind = Text(object, "kind");
  return Text(object, "apiVersion").starts_with("resource.k8s.io/") &&
         (kind == "ResourceClaimTemplate" || kind == "ResourceClaim" || kind == "DeviceClass");
}

ObjectKey KeyOf(const json& object, const std::string& default_ns) {
  const json& metadata = Member(object, "metadata");
  ObjectKey key{Text(metadata, "namespace"), Text(metadata, "name")};
  if (Text(object, "kind") == "DeviceClass")
    key.ns.clear();
  else if (key.ns.empty())
    key.ns = default_ns.empty() ? "default" : default_ns;
  return key;
}

void CheckDraManifest(const Manifest& manifest, const std::string& default_ns,
                      std::vector<Finding>& all) {
  const json& object = *manifest.object;
  const std::string kind = Text(object, "kind");
  const ObjectKey key = KeyOf(object, default_ns);
  Findings findings(manifest, kind + " " + key.ToString(), all);
  CheckObjectName(object, findings);
  if (!CheckVersion(manifest, findings)) return;
  CheckObjectFields(object, findings);
  const std::string api = Text(object, "apiVersion");
  ClaimCheck check(api.ends_with("/v1beta1") || api.ends_with("/v1alpha3"), findings);
  const json& spec = Member(object, "spec");
  if (kind == "DeviceClass") {
    check.Known(spec, "spec", kClassSpec);
    check.Selectors(spec, "spec");
    check.Config(spec, "spec");
  } else if (kind == "ResourceClaim") {
    check.Spec(spec, "spec");
  } else {
    check.Known(spec, "spec", kTemplateSpec);
    CheckMetadataFields(Member(spec, "metadata"), "spec.metadata", findings);
    check.Spec(Member(spec, "spec"), "spec.spec");
  }
}

}  // namespace fedra::cli
