#pragma once
//
// Manifests that are to be checked, as a client sends them, and who answers. Pure, but for the
// source.

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "manager/api/viewer.h"
#include "manager/http/message.h"
#include "manager/report/as_of.h"
#include "manager/report/manifest_file.h"
#include "manager/text/output.h"

namespace fedra::report::schema {
struct NamedSchema;
}

namespace fedra::api {

struct CheckRequest {
  std::vector<report::ManifestFile> files;  // never empty
  std::string ns = {};                      // of documents that name none
  std::vector<std::string> workers = {};    // only these; empty: all
};

// What the answer is made for.
struct CheckForm {
  text::Format format = text::Format::kJson;
  text::Style style = {};
  report::AsOf as_of = {};  // when it is asked, and which daemon answers
};

// Manifests that have been read, before it is known what their sender may see.
struct ReadCheck {
  std::set<std::string> namespaces;  // that they are about
  // What the viewer may know of it. kInvalidArgument: also where too much is asked at once.
  // kUnavailable: it would take too long. Lifetime: the source's.
  std::function<Result<text::Output>(const CheckForm& form, const Viewer& viewer)> judge;
};

// What answers from the daemon's caches. Any thread.
struct CheckSource {
  // Once for each request: it takes longer than most answers. kInvalidArgument: they cannot be
  // read.
  std::function<Result<ReadCheck>(CheckRequest asked)> read;
  // Ends what is being checked, and whatever is asked later: kUnavailable.
  std::function<void()> stop = {};
};

// What a body of JSON may hold.
std::vector<report::schema::NamedSchema> CheckRequestSchemas();

// The body that a client sends for these files.
std::string CheckBody(const std::vector<report::ManifestFile>& files);

// Whether a body of this media type ("application/yaml; charset=utf-8") is taken. No page of
// another site can send one unasked, as it could a form or plain text.
bool TakesBody(std::string_view content_type);

// The files in the body: of JSON of kind CheckRequest its own, else the body is one file, "-", of
// YAML or JSON. kInvalidArgument.
Result<std::vector<report::ManifestFile>> FilesIn(const httpd::Request& request);

}  // namespace fedra::api
