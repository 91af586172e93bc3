#pragma once
//
// Reads a Kubernetes list as it arrives, in pieces cut anywhere: each element of `items` by itself,
// never the whole list. Real API servers leave apiVersion and kind out of the elements.
// json_text.h says why it is not a parser's SAX interface.
//
// Thread rules: one thread at a time.
// Errors: kBadResponse when the text is not a list or ends early, kTooLarge for an element above
// the bound. After an error nothing more may be fed.

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/types.h"
#include "cluster-clients/kube/json_text.h"

namespace fedra::kube {

struct ListMeta {
  ResourceVersion version;     // of the list, not of an element
  std::string continue_token;  // empty on the last page
};

class ListReader final {
 public:
  using OnItem = std::function<void(std::string_view item)>;

  explicit ListReader(OnItem on_item, size_t max_item_bytes = 16u << 20);

  Result<void> Feed(std::string_view chunk);
  // After the last piece.
  Result<ListMeta> Finish() const;

 private:
  // What the next byte that is no white space must be.
  enum class Expect {
    kObject,
    kFirstKey,
    kKey,
    kColon,
    kValue,
    kComma,
    kItems,
    kFirstItem,
    kItem,
    kItemComma,
    kNothing
  };
  // The value that is being consumed.
  enum class Inside { kNone, kKey, kMetadata, kItem, kIgnored };

  size_t Structure(std::string_view chunk, size_t pos);
  size_t Value(std::string_view chunk, size_t pos);
  void BeginValue(Inside inside, size_t pos);
  void EndValue(std::string_view value);
  size_t Limit() const;
  bool Keep(std::string_view piece);
  void Refuse(ErrorCode code, const char* why);

  const OnItem on_item_;
  const size_t max_item_bytes_;

  Expect expect_ = Expect::kObject;
  Inside inside_ = Inside::kNone;
  ValueScanner scanner_;
  size_t begin_ = 0;  // of the value in the current piece
  std::string kept_;  // what earlier pieces had of it
  std::string key_;
  std::string metadata_;
  bool items_seen_ = false;
  Result<void> outcome_;
};

}  // namespace fedra::kube
