#include "cluster-clients/kube/list_reader.h"

#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "base/ascii.h"

namespace fedra::kube {
namespace {

constexpr size_t kMaxKey = 256;
constexpr size_t kMaxMetadata = 64 * 1024;

}  // namespace

ListReader::ListReader(OnItem on_item, size_t max_item_bytes)
    : on_item_(std::move(on_item)), max_item_bytes_(max_item_bytes) {}

void ListReader::Refuse(ErrorCode code, const char* why) {
  if (outcome_) outcome_ = Fail(code, fmt::format("the answer is not a Kubernetes list: {}", why));
}

Result<void> ListReader::Feed(std::string_view chunk) {
  begin_ = 0;
  for (size_t pos = 0; pos < chunk.size() && outcome_;) {
    pos = inside_ == Inside::kNone ? Structure(chunk, pos) : Value(chunk, pos);
  }
  if (outcome_ && inside_ != Inside::kNone && !Keep(chunk.substr(begin_))) {
    Refuse(ErrorCode::kTooLarge, "an element is too large");
  }
  return outcome_;
}

// One byte between the values.
size_t ListReader::Structure(std::string_view chunk, size_t pos) {
  const char c = chunk[pos];
  if (IsJsonSpace(c)) return pos + 1;
  switch (expect_) {
    case Expect::kObject:
      if (c != '{') break;
      expect_ = Expect::kFirstKey;
      return pos + 1;
    case Expect::kFirstKey:
    case Expect::kKey:
      if (c == '"') {
        BeginValue(Inside::kKey, pos);
        return pos;
      }
      if (c != '}' || expect_ == Expect::kKey) break;
      expect_ = Expect::kNothing;
      return pos + 1;
    case Expect::kColon:
      if (c != ':') break;
      expect_ = key_ == "items" ? Expect::kItems : Expect::kValue;
      return pos + 1;
    case Expect::kItems:
      items_seen_ = true;
      if (c == '[') {
        expect_ = Expect::kFirstItem;
        return pos + 1;
      }
      if (c != 'n') break;  // Go writes null for a list that was never filled
      BeginValue(Inside::kIgnored, pos);
      return pos;
    case Expect::kValue:
      BeginValue(key_ == "metadata" ? Inside::kMetadata : Inside::kIgnored, pos);
      return pos;
    case Expect::kFirstItem:
    case Expect::kItem:
      if (c == '{') {
        BeginValue(Inside::kItem, pos);
        return pos;
      }
      if (c != ']' || expect_ == Expect::kItem) break;
      expect_ = Expect::kComma;
      return pos + 1;
    case Expect::kItemComma:
      if (c != ',' && c != ']') break;
      expect_ = c == ',' ? Expect::kItem : Expect::kComma;
      return pos + 1;
    case Expect::kComma:
      if (c != ',' && c != '}') break;
      expect_ = c == ',' ? Expect::kKey : Expect::kNothing;
      return pos + 1;
    case Expect::kNothing:
      break;
  }
  Refuse(ErrorCode::kBadResponse, "it is no well-formed JSON object");
  return chunk.size();
}

void ListReader::BeginValue(Inside inside, size_t pos) {
  inside_ = inside;
  scanner_.Reset();
  kept_.clear();
  begin_ = pos;
}

size_t ListReader::Value(std::string_view chunk, size_t pos) {
  const size_t end = scanner_.Scan(chunk, pos);
  if (scanner_.too_deep()) {
    Refuse(ErrorCode::kBadResponse, "it is nested too deeply");
    return chunk.size();
  }
  if (!scanner_.done()) return end;
  const std::string_view last = chunk.substr(begin_, end - begin_);
  const bool is_whole = kept_.empty();
  // The limits hold for what came in one piece, too: an answer must not depend on the cuts.
  if (is_whole ? last.size() > Limit() : !Keep(last)) {
    Refuse(ErrorCode::kTooLarge, "an element is too large");
    return end;
  }
  EndValue(is_whole ? last : kept_);
  return end;
}

void ListReader::EndValue(std::string_view value) {
  switch (std::exchange(inside_, Inside::kNone)) {
    case Inside::kKey:
      key_ = value.substr(1, value.size() - 2);
      expect_ = Expect::kColon;
      break;
    case Inside::kMetadata:
      metadata_ = value;
      expect_ = Expect::kComma;
      break;
    case Inside::kItem:
      on_item_(value);
      expect_ = Expect::kItemComma;
      break;
    case Inside::kIgnored:
    case Inside::kNone:
      expect_ = Expect::kComma;
      break;
  }
}

// Of the value that is being read.
size_t ListReader::Limit() const {
  switch (inside_) {
    case Inside::kKey:
      return kMaxKey;
    case Inside::kMetadata:
      return kMaxMetadata;
    case Inside::kItem:
      return max_item_bytes_;
    case Inside::kIgnored:
    case Inside::kNone:
      break;
  }
  return SIZE_MAX;
}

// False when the value would become larger than it may be.
bool ListReader::Keep(std::string_view piece) {
  if (inside_ == Inside::kIgnored) return true;
  if (piece.size() > Limit() - kept_.size()) return false;
  kept_.append(piece);
  return true;
}

Result<ListMeta> ListReader::Finish() const {
  if (!outcome_) return Fail(outcome_.error());
  if (expect_ != Expect::kNothing) return Fail(ErrorCode::kBadResponse, "the list ends early");
  if (!items_seen_) return Fail(ErrorCode::kBadResponse, "the answer has no items");
  return ListMeta{ResourceVersion(FindString(metadata_, "resourceVersion").value_or("")),
                  FindString(metadata_, "continue").value_or("")};
}

}  // namespace fedra::kube
