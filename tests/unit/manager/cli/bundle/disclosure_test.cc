// What is left of a text when secrets and names are taken out of it.

#include "manager/cli/bundle/disclosure.h"

#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "tests/support/catch.h"

namespace fedra::cli::disclosure_test {

using nlohmann::ordered_json;

namespace {

// A job's name is a word in it, as it is and in base64.
const std::string kPassword = "Begin-s3cret!train!s3cret-End";

struct Fixture {
  Secrets secrets;
  KnownNames names;

  Fixture() {
    secrets.Add(kPassword);
    secrets.Add("ab+ml/cd+ml/ef==");
    names.Add("train");
    names.Add("ml");
  }
};

}  // namespace

TEST_CASE("a secret that has a name in it is removed as a whole") {
  Fixture f;
  const Disclosure with_names(f.secrets, nullptr);
  const Disclosure without(f.secrets, &f.names);
  for (const Disclosure* each : {&with_names, &without}) {
    CHECK(each->Text("plain " + kPassword) == "plain [removed]");
    CHECK(each->Text("key ab+ml/cd+ml/ef== of") == "key [removed] of");
    CHECK(each->Text("data: " + Base64Encode(kPassword)) == "data: [removed]");
    CHECK(each->Document(ordered_json{{"why", {"of " + kPassword, 7}}}) ==
          ordered_json{{"why", {"of [removed]", 7}}});
  }
}

TEST_CASE("a document's secret is removed as it is meant, not as JSON writes it") {
  Fixture f;
  f.secrets.Add("line\nwith \"train\"");
  const Disclosure told(f.secrets, &f.names);
  CHECK(told.Document("<line\nwith \"train\">") == ordered_json("<[removed]>"));
}

TEST_CASE("names become pseudonyms, unless they are to stay") {
  Fixture f;
  CHECK(Disclosure(f.secrets, nullptr).Text("ml/train waits") == "ml/train waits");
  const std::string told = Disclosure(f.secrets, &f.names).Text("ml/train waits");
  CHECK(told.find("ml/") == std::string::npos);
  CHECK(told.find("train") == std::string::npos);
  CHECK(told.ends_with(" waits"));
}

}  // namespace fedra::cli::disclosure_test
