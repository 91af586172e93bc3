#include "tests/sim/http/hostile.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

namespace fedra::sim {
namespace {

using std::chrono::milliseconds;
using Kind = AnswerPart::Kind;

// Enough for a write of the size that a real server makes.
constexpr size_t kPiece = 64 << 10;
// Of header fields in one part: nghttp2 sends no header block above 64 KiB.
constexpr size_t kFieldsOfPart = 64;

constexpr std::string_view kListHead =
    R"({"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[)";

std::string ObjectText(size_t number, std::string_view name = "item") {
  return fmt::format(
      R"({{"metadata":{{"name":"{0}-{1}","uid":"u-{1}","resourceVersion":"{2}"}},)"
      R"("spec":{{"driver":"gpu.example.com","nodeName":"n-{1}","pool":{{"name":"p-{1}",)"
      R"("generation":1,"resourceSliceCount":1}},"devices":[{{"name":"gpu-0"}}]}}}})",
      name, number, number + 10);
}

AnswerPart Head(int status, std::optional<size_t> length) {
  AnswerPart part;
  part.kind = Kind::kHead;
  part.head.status = status;
  if (status == 200) part.head.fields = {{"Content-Type", "application/json"}};
  part.head.length = length;
  return part;
}

AnswerPart Body(std::string bytes, bool last = false) {
  AnswerPart part;
  part.kind = Kind::kBody;
  part.body = std::move(bytes);
  part.last = last;
  return part;
}

// An answer without end: `make(i)` for every i, many to a piece.
template <class Make>
HostileAnswer Endless(std::string_view begin, Make make) {
  return {[begin = std::string(begin), make, number = size_t{0}, parts = 0]() mutable {
    if (parts++ == 0) return Head(200, std::nullopt);
    std::string piece = parts == 2 ? begin : "";
    while (piece.size() < kPiece) piece += make(number++);
    return Body(std::move(piece));
  }};
}

HostileAnswer Whole(AnswerPart head, std::string body) {
  head.head.length = body.size();
  head.last = body.empty();
  return {[head = std::move(head), body = std::move(body), begun = false]() mutable {
    return std::exchange(begun, true) ? Body(std::move(body), true) : std::move(head);
  }};
}

HostileAnswer WholeList(std::string_view items, std::string_view version = "5") {
  return Whole(
      Head(200, {}),
      fmt::format(
          R"({{"kind":"List","apiVersion":"v1","metadata":{{"resourceVersion":"{}"}},"items":[{}]}})",
          version, items));
}

size_t LimitOf(const std::string& target) {
  constexpr std::string_view kLimit = "limit=";
  const size_t at = target.find(kLimit);
  size_t limit = 500;
  if (at != std::string::npos)
    std::from_chars(target.data() + at + kLimit.size(), target.data() + target.size(), limit);
  return limit;
}

HostileAnswer EndlessList(const ApiRequest&) {
  return Endless(kListHead, [](size_t i) { return (i == 0 ? "" : ",") + ObjectText(i); });
}

// Each page is as long as it was asked for, and never the last.
HostileAnswer EndlessPages(const ApiRequest& request) {
  constexpr std::string_view kToken = "continue=";
  size_t page = 0;
  if (const size_t at = request.target.find(kToken); at != std::string::npos) {
    std::from_chars(request.target.data() + at + kToken.size(),
                    request.target.data() + request.target.size(), page);
  }
  const size_t limit = LimitOf(request.target);
  std::string items;
  for (size_t i = 0; i < limit; ++i) items += (i == 0 ? "" : ",") + ObjectText(page * limit + i);
  return Whole(
      Head(200, {}),
      fmt::format(R"({{"kind":"List","apiVersion":"v1","metadata":{{"resourceVersion":"5",)"
                  R"("continue":"{}"}},"items":[{}]}})",
                  page + 1, items));
}

// One value without end, beside the elements: nothing of it is kept.
HostileAnswer EndlessField(const ApiRequest&) {
  return Endless(R"({"kind":")", [](size_t) { return std::string(1024, 'x'); });
}

HostileAnswer SlowList(const ApiRequest&) {
  HostileAnswer answer;
  answer.next = [parts = size_t{0}]() mutable {
    if (parts++ == 0) return Head(200, std::nullopt);
    const size_t at = parts - 2;
    return Body(at < kListHead.size() ? std::string(kListHead.substr(at, 1)) : " ");
  };
  answer.pause = milliseconds(1'000);
  return answer;
}

HostileAnswer HugeElement(const ApiRequest&) {
  return WholeList(ObjectText(0, std::string(20 << 20, 'n')));
}

HostileAnswer Nested(const ApiRequest&) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += R"({"a":[)";
  return WholeList(fmt::format(R"({{"metadata":{{"name":"a"}},"spec":{}}})", deep));
}

HostileAnswer WrongTypes(const ApiRequest&) {
  return WholeList(
      R"({"metadata":"none"},{"metadata":{"name":7,"resourceVersion":{},"uid":[]}},)"
      R"({"metadata":{"name":"a","uid":"u","resourceVersion":"1"},"spec":[1,{"pool":-1}]},)"
      R"({"metadata":{"name":"b","uid":"u","resourceVersion":"2"},"spec":{"devices":{"name":null},)"
      R"("pool":[],"driver":1e999,"nodeName":true}})");
}

HostileAnswer ControlCharacters(const ApiRequest&) {
  return WholeList(ObjectText(0, R"(\u001b[2J\u001b]0;owned\u0007\u202e\r\n)"));
}

HostileAnswer HugeVersion(const ApiRequest&) {
  return WholeList(ObjectText(0), "99999999999999999999999999");
}

// gzip of nothing that was asked for.
HostileAnswer Gzip(const ApiRequest&) {
  AnswerPart head = Head(200, {});
  head.head.fields.emplace_back("Content-Encoding", "gzip");
  return Whole(std::move(head),
               std::string("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xab\xae\x05\x00", 14));
}

HostileAnswer Redirect(const ApiRequest&) {
  AnswerPart head = Head(302, {});
  head.head.fields.emplace_back("Location", "https://127.0.0.1:1/stolen");
  return Whole(std::move(head), "");
}

HostileAnswer EndlessHeaders(const ApiRequest&) {
  return {[number = size_t{0}]() mutable {
    AnswerPart part;
    part.kind = Kind::kFields;
    for (size_t i = 0; i < kFieldsOfPart; ++i) {
      part.head.fields.emplace_back(fmt::format("X-Header-{}", number++), std::string(200, '0'));
    }
    return part;
  }};
}

// A watch whose first event never ends.
HostileAnswer EndlessEvent(const ApiRequest&) {
  return Endless(R"({"type":"ADDED","object":{"metadata":{"name":")",
                 [](size_t) { return std::string(1024, 'n'); });
}

// Ever new objects, as fast as they go.
HostileAnswer EventFlood(const ApiRequest&) {
  return Endless("", [](size_t i) {
    return fmt::format("{{\"type\":\"ADDED\",\"object\":{}}}\n", ObjectText(i, "flood"));
  });
}

// The same object, ever changed.
HostileAnswer EventStorm(const ApiRequest&) {
  return Endless("", [](size_t i) {
    return fmt::format(
        "{{\"type\":\"MODIFIED\",\"object\":{{\"metadata\":{{\"name\":\"storm\",\"uid\":\"u\","
        "\"resourceVersion\":\"{}\"}},\"spec\":{{}}}}}}\n",
        i + 10);
  });
}

struct Row {
  std::string_view name;
  HostileAnswer (*make)(const ApiRequest& request);
};
constexpr Row kRows[] = {
    {"endless-list", EndlessList},
    {"endless-pages", EndlessPages},
    {"endless-field", EndlessField},
    {"endless-headers", EndlessHeaders},
    {"slow-list", SlowList},
    {"huge-element", HugeElement},
    {"nested", Nested},
    {"wrong-types", WrongTypes},
    {"control-characters", ControlCharacters},
    {"huge-version", HugeVersion},
    {"gzip", Gzip},
    {"redirect", Redirect},
    {"endless-event", EndlessEvent},
    {"event-flood", EventFlood},
    {"event-storm", EventStorm},
};

}  // namespace

std::vector<std::string> HostileAnswers() {
  std::vector<std::string> names;
  for (const Row& row : kRows) names.emplace_back(row.name);
  return names;
}

HostileAnswer MakeHostileAnswer(std::string_view name, const ApiRequest& request) {
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows),
                                 [name](const Row& each) { return each.name == name; });
  return row == std::end(kRows) ? HostileAnswer{} : row->make(request);
}

}  // namespace fedra::sim
