#include "tests/unit/manager/support/openapi_page.h"

#include <fmt/format.h>

#include "base/assert.h"
#include "manager/api/changes.h"
#include "manager/api/check_request.h"
#include "manager/api/problem.h"
#include "manager/api/routes.h"
#include "manager/report/document_schemas.h"
#include "manager/report/schema.h"

namespace fedra::testing {
namespace {

using report::schema::Schema;

Schema SchemaOf(const api::Parameter& parameter) {
  switch (parameter.form) {
    case api::ParameterForm::kText:
      return report::schema::Text();
    case api::ParameterForm::kList: {
      Schema item = report::schema::Text();
      if (!parameter.choices.empty()) item["enum"] = parameter.choices;
      Schema list = report::schema::ListOf(std::move(item));
      if (parameter.most > 0) list["maxItems"] = parameter.most;
      return list;
    }
    case api::ParameterForm::kNumber: {
      Schema schema = report::schema::Number();
      schema["minimum"] = 0;
      return schema;
    }
    case api::ParameterForm::kFlag:
      return report::schema::Flag();
    case api::ParameterForm::kChoice: {
      Schema schema = report::schema::Text();
      schema["enum"] = parameter.choices;
      return schema;
    }
  }
  return {};
}

Schema ParameterOf(const api::Parameter& parameter) {
  Schema object = {{"name", parameter.name},
                   {"in", "query"},
                   {"description", parameter.meaning},
                   {"schema", SchemaOf(parameter)}};
  if (parameter.is_required) object["required"] = true;
  if (parameter.form == api::ParameterForm::kFlag) object["allowEmptyValue"] = true;
  return object;
}

Schema ParameterRef(const api::Parameter& parameter) {
  return {{"$ref", fmt::format("#/components/parameters/{}", parameter.name)}};
}

Schema HeaderOf(std::string_view meaning) {
  return {{"description", meaning}, {"schema", report::schema::Text()}};
}

// Server-Sent Events: OpenAPI 3.1 has no words for their data.
Schema StreamAnswer() {
  return {{"description",
           "Events: watching (its data is Watching), changed (Changed), resync (Resync); comments"},
          {"content", {{"text/event-stream", {{"schema", report::schema::Text()}}}}}};
}

Schema AnswerOf(const api::Route& route, std::string_view when) {
  if (!api::IsPrinted(route)) return StreamAnswer();
  const Schema schema = {{"schema", report::schema::Ref(api::SchemaOf(route))}};
  return {{"description", when},
          {"headers",
           {{"ETag", HeaderOf("What If-None-Match takes")},
            {"Warning", HeaderOf("What the command would say on standard error")},
            {api::kExitCodeHeader, HeaderOf("What the command would end with; absent: 0")}}},
          {"content",
           {{"application/json", schema},
            {"application/yaml", schema},
            {"text/plain", {{"schema", report::schema::Text()}}}}}};
}

// By status; those that are the same for all routes are components.
Schema AnswersOf(const api::Route& route) {
  Schema answers = Schema::object();
  for (const api::AnswerCode& code : api::AnswerCodes()) {
    if (code.status == 304 && !api::IsPrinted(route)) continue;
    const std::string status = std::to_string(code.status);
    if (code.status == 200)
      answers[status] = AnswerOf(route, code.when);
    else
      answers[status] = {{"$ref", "#/components/responses/" + status}};
  }
  return answers;
}

Schema SharedAnswers() {
  Schema answers = Schema::object();
  for (const api::AnswerCode& code : api::AnswerCodes()) {
    if (code.status == 200) continue;
    Schema& answer = answers[std::to_string(code.status)] = {{"description", code.when}};
    if (code.status >= 400)
      answer["content"] = {{"application/json", {{"schema", report::schema::Ref("Status")}}}};
  }
  return answers;
}

// The one body that there is.
Schema BodyOfCheck() {
  return {{"required", true},
          {"content",
           {{"application/json", {{"schema", report::schema::Ref("CheckRequest")}}},
            {"application/yaml", {{"schema", report::schema::Text()}}}}}};
}

Schema PathOf(const api::Route& route) {
  Schema parameters = Schema::array();
  for (const api::Parameter& parameter : route.parameters)
    parameters.push_back(ParameterOf(parameter));
  if (!api::IsPrinted(route))
    parameters.push_back({{"name", "Last-Event-ID"},
                          {"in", "header"},
                          {"description", "The id of the last event of the stream before"},
                          {"schema", report::schema::Text()}});
  else
    for (const api::Parameter& parameter : api::CommonParameters())
      parameters.push_back(ParameterRef(parameter));
  Schema operation = {{"operationId", route.path},
                      {"summary", route.command.empty() ? route.path : route.command},
                      {"description", route.meaning},
                      {"parameters", std::move(parameters)}};
  if (api::IsPosted(route)) operation["requestBody"] = BodyOfCheck();
  operation["responses"] = AnswersOf(route);
  return {{api::IsPosted(route) ? "post" : "get", std::move(operation)}};
}

// Of this file.
Schema OwnPath() {
  return {{"get",
           {{"operationId", "openapi"},
            {"summary", "This file"},
            {"responses",
             {{"200",
               {{"description", "OpenAPI 3.1"},
                {"content", {{"application/json", {{"schema", {{"type", "object"}}}}}}}}}}}}}};
}

Schema Components() {
  Schema schemas = Schema::object();
  for (auto part : {report::schema::DocumentSchemas(), FactSchemas(), api::ProblemSchemas(),
                    api::CheckRequestSchemas(), api::ChangeSchemas()}) {
    for (report::schema::NamedSchema& each : part) {
      FEDRA_ASSERT(!schemas.contains(each.name), "each schema has a name of its own");
      schemas[each.name] = std::move(each.schema);
    }
  }
  Schema parameters = Schema::object();
  for (const api::Parameter& parameter : api::CommonParameters())
    parameters[std::string(parameter.name)] = ParameterOf(parameter);
  return {{"schemas", std::move(schemas)},
          {"parameters", std::move(parameters)},
          {"responses", SharedAnswers()}};
}

}  // namespace

report::schema::Schema OpenApiDocument() {
  Schema paths = Schema::object();
  for (const api::Route& route : api::Routes())
    paths[fmt::format("/{}", route.path)] = PathOf(route);
  paths[fmt::format("/{}", api::kOpenApiPath)] = OwnPath();
  std::string_view prefix = api::kPrefix;
  prefix.remove_suffix(1);
  const std::string_view version = prefix.substr(prefix.rfind('/') + 1);
  return {{"openapi", "3.1.0"},
          {"info",
           {{"title", "fedra"},
            {"version", version},
            {"summary", "Where jobs run, and why they do not: the daemon's read-only API."},
            {"description",
             "On the daemon's Unix socket; docs/api.md has who may ask. Nothing can be changed by "
             "it: what is "
             "posted is judged, and not kept. Objects may "
             "get more fields and x-extensible-enum more words within a version; clients ignore "
             "what they do not know."},
            {"license", {{"name", "Apache-2.0"}, {"identifier", "Apache-2.0"}}}}},
          {"servers", {{{"url", prefix}}}},
          {"paths", std::move(paths)},
          {"components", Components()}};
}

}  // namespace fedra::testing
