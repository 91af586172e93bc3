#pragma once
//
// Errors of the API as API servers word them: a Status (meta/v1 of Kubernetes 1.36). Pure.

#include <string>
#include <vector>

#include "base/error.h"
#include "manager/http/message.h"

namespace fedra::report::schema {
struct NamedSchema;
}

namespace fedra::api {

// `field`: the parameter that is wrong; empty: none in particular.
httpd::Answer Problem(int status, const std::string& message, const std::string& field = {});

// What the code says; a message about an option names that parameter.
httpd::Answer ProblemOf(const Error& error);

// What they may hold.
std::vector<report::schema::NamedSchema> ProblemSchemas();

}  // namespace fedra::api
