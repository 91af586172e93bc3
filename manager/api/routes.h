#pragma once
//
// The endpoints of the API and their parameters, as data: what is checked, and what docs/api.md,
// docs/openapi.json and completions of clients are made of. Plain values.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "manager/api/view.h"

namespace fedra::api {

// Before every path. Documents carry the version as their apiVersion, "fedra.dev/v1alpha1".
inline constexpr std::string_view kPrefix = "/api/v1alpha1/";
// What describes the routes for programs, behind the prefix.
inline constexpr std::string_view kOpenApiPath = "openapi.json";

// The route of Topic::kStream.
inline constexpr std::string_view kWatchPath = "watch";

// What the command would end with, where that is not 0.
inline constexpr const char* kExitCodeHeader = "Fedra-Exit-Code";

enum class ParameterForm {
  kText,
  kList,    // separated by commas, or given more than once
  kNumber,  // 0 or more
  kFlag,    // "true" or "false"; the name alone is true
  kChoice,  // one of `choices`
};

struct Parameter {
  std::string_view name;
  ParameterForm form = ParameterForm::kText;
  std::string_view meaning;
  bool is_required = false;
  std::vector<std::string> choices = {};
  size_t most = 0;  // values of a list; 0: any number
};

// Where an answer comes from.
enum class Topic {
  kView,     // the store: one of the views
  kDevices,  // the daemon's caches
  kDeviceMap,
  kTemplates,
  kCheck,      // the daemon's caches, asked about what is posted
  kCatalogue,  // nothing but the program: what its words mean
  kStream,     // what the store's writer tells: an answer without an end
};

struct Route {
  std::string_view path;      // behind kPrefix
  std::string_view command;   // that prints the same; empty: none does
  std::string_view document;  // its kind
  std::string_view meaning;
  Topic topic = Topic::kView;
  View view = View::kStatus;               // of Topic::kView
  std::vector<Parameter> parameters = {};  // but for CommonParameters()
  std::string_view schema = {};            // of the document; empty: it is called as the kind
};

// What answers there are, of every route.
struct AnswerCode {
  int status = 0;
  std::string_view when;  // markdown
};

std::span<const Route> Routes();
// Whether it is asked by POST, and by nothing else.
inline bool IsPosted(const Route& route) { return route.topic == Topic::kCheck; }
// What an answer is made of that has no list of names: "devices". Empty: it has one, or is not
// printed.
std::string_view NamelessIn(Topic topic);
// Whether its answer is a document, which is printed in the form that is asked for.
inline bool IsPrinted(const Route& route) { return route.topic != Topic::kStream; }
// Of every route that is printed: how.
std::span<const Parameter> CommonParameters();
// Ascending. From 400 on the answer is a Status.
std::span<const AnswerCode> AnswerCodes();
// "StatusReport": as in openapi.json.
std::string_view SchemaOf(const Route& route);
// Null: there is no such endpoint.
const Route* FindRoute(std::string_view path);
// Null: the route has none of this name.
const Parameter* FindParameter(const Route& route, std::string_view name);
// "status, workers, ..., openapi.json"
std::string PathsText();

}  // namespace fedra::api
