// docs/facts.md: every type of facts with its fields, an example, and the reasons that come with
// it.

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/core/demangle.hpp>
#include <nlohmann/json.hpp>

#include "base/ascii.h"
#include "manager/verify/reason_json.h"
#include "tests/support/page.h"
#include "tests/support/sample_reasons.h"
#include "tests/unit/manager/support/field_comments.h"
#include "verdict/fact_fields.h"
#include "verdict/reason_facts.h"

namespace fedra::verdict::facts_page_test {

namespace {

// What the headers say; ObjectKey needs no words.
const testing::FieldComments& Comments() {
  static const testing::FieldComments comments = [] {
    std::string headers;
    for (const char* name : {"object_facts.h", "device_facts.h", "node_facts.h"}) {
      std::ifstream file(std::string(FEDRA_TEST_DATA) + "/../../verdict/" + name);
      std::ostringstream text;
      text << file.rdbuf();
      headers += text.str();
    }
    return testing::ReadFieldComments(headers);
  }();
  return comments;
}

// "JointShortage::Found"
template <class T>
std::string NameOfType() {
  const std::string name = boost::core::demangle(typeid(T).name());
  const std::string scope = "fedra::verdict::";
  return name.starts_with(scope) ? name.substr(scope.size()) : name;
}

// namedBy: named_by
std::string InCpp(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') text += '_';
    text += ToLower(c);
  }
  return text;
}

// As a person reads it who has no header at hand: constants of enums have their names in JSON.
std::string Worded(std::string_view comment) {
  std::string text;
  for (size_t i = 0; i < comment.size(); ++i) {
    const bool begins_word = i == 0 || !IsAlphanumeric(comment[i - 1]);
    if (!begins_word || comment[i] != 'k' || i + 1 == comment.size() || !IsUpper(comment[i + 1])) {
      text += comment[i];
      continue;
    }
    size_t end = i + 1;
    while (end < comment.size() && IsAlphanumeric(comment[end])) ++end;
    text += fmt::format("`{}`", comment.substr(i + 1, end - i - 1));
    i = end - 1;
  }
  return text;
}

// Rows of a table: the path of each field, "parts[].rule", what it may hold, and what it says.
class FieldRows final {
 public:
  std::string text;

  template <class T>
    requires std::is_class_v<T>
  void Add(const std::string& path, T& facts) {
    ForEachField(facts, [&](std::string_view name, auto& field) {
      const auto& fields = Comments().fields;
      const auto comment = fields.find({NameOfType<T>(), InCpp(name)});
      if (comment != fields.end()) Say(Worded(comment->second));
      Add(path.empty() ? std::string(name) : fmt::format("{}.{}", path, name), field);
    });
  }
  void Add(const std::string& path, std::string&) { Put(path, "text"); }
  void Add(const std::string& path, bool&) { Put(path, "true"); }
  template <std::integral Integer>
  void Add(const std::string& path, Integer&) {
    Put(path, "number");
  }
  void Add(const std::string& path, Quantity&) { Put(path, "amount, such as `\"20Gi\"`"); }
  void Add(const std::string& path, WallTime&) { Put(path, "time (RFC 3339)"); }
  void Add(const std::string& path, ReasonCode&) { Put(path, "name of a [reason](reasons.md)"); }
  template <NamedEnum Enum>
  void Add(const std::string& path, Enum& value) {
    Put(path, fmt::format("`{}`", fmt::join(NamesOf(value), "`, `")));
  }
  template <class T>
  void Add(const std::string& path, std::optional<T>& value) {
    Add(path, value.emplace());
  }
  template <class T>
  void Add(const std::string& path, std::vector<T>& values) {
    Add(path + "[]", values.emplace_back());
  }
  template <class T>
  void Add(const std::string& path, std::map<std::string, T>& values) {
    Add(path + ".NAME", values[""]);
  }

 private:
  void Put(const std::string& path, const std::string& value) {
    text += fmt::format("| `{}` | {} | {} |\n", path, value, std::exchange(meaning_, {}));
  }

  void Say(const std::string& meaning) {
    meaning_ += (meaning_.empty() || meaning.empty() ? "" : "; ") + meaning;
  }

  std::string meaning_;  // of the field that comes; of a struct: its first row has it
};

template <class T>
std::string FieldTable(T facts) {
  FieldRows rows;
  rows.Add("", facts);
  return "| field | value | meaning |\n|---|---|---|\n" + rows.text;
}

std::string Anchor(std::string_view name) { return ToLower(name); }

// "[InLine](reasons.md#inline), ..."
std::string ReasonsOf(std::string_view type) {
  std::vector<std::string> links;
  for (const ReasonEntry& entry : ReasonCatalogue()) {
    const auto types = FactTypesOf(entry.code);
    if (std::find(types.begin(), types.end(), type) != types.end())
      links.push_back(fmt::format("[{}](reasons.md#{})", entry.name, Anchor(entry.name)));
  }
  return fmt::format("{}", fmt::join(links, ", "));
}

const testing::SampleReason& SampleOf(const std::vector<testing::SampleReason>& samples,
                                      std::string_view type) {
  for (const testing::SampleReason& sample : samples)
    if (TypeOf(sample.reason.facts) == type) return sample;
  FAIL("no sample of " << type);
  return samples.front();
}

std::string FactsPage() {
  const auto samples = testing::SampleReasons();
  std::string page =
      "# Facts of reasons\n\n"
      "`fedra why -o json`, `fedra check -o json` and `fedra status JOB -o json` say of every "
      "reason its `code`, the\n"
      "`object` that it is about, a `message` for people, and `facts`: what the message says, for "
      "programs. The message may be\n"
      "worded differently in every version; codes, types and fields stay (docs/support.md), and "
      "new ones may come. Where new nodes\n"
      "of a scalable pool would help, `newNodes` says how many and what each has.\n\n"
      "A field that is empty, false or not known is left out; a number is not, nor the first word "
      "of a list of words.\n"
      "Generated by `make docs` from the headers of `verdict/`.\n";
  for (const std::string_view type : kFactTypes) {
    const testing::SampleReason& sample = SampleOf(samples, type);
    page += fmt::format("\n## {}\n\n", type);
    if (type == "Sentence") {
      page += "What an earlier version kept of a reason: words only.\n";
    } else {
      page += fmt::format("{}\n\nWith {}.\n", Worded(Comments().structs.at(std::string(type))),
                          ReasonsOf(type));
    }
    page +=
        "\n" + std::visit([](const auto& facts) { return FieldTable(facts); }, sample.reason.facts);
    page += fmt::format("\n```json\n{}\n```\n", verify::ReasonJson(sample.reason).dump(2));
  }
  NewNodes nodes;
  page += "\n## newNodes\n\n" + FieldTable(nodes);
  return page;
}

}  // namespace

TEST_CASE("docs/facts.md is what facts are") {
  testing::CheckPage(FEDRA_TEST_DATA, "facts.md", FactsPage());
}

}  // namespace fedra::verdict::facts_page_test
