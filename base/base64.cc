#include "base/base64.h"

#include <algorithm>

#include <openssl/evp.h>

#include "base/ascii.h"

namespace fedra {
namespace {

bool IsBase64Letter(char c) { return IsAlphanumeric(c) || c == '+' || c == '/'; }

}  // namespace

std::string Base64Encode(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // EVP_EncodeBlock adds a NUL
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
  text.resize(static_cast<size_t>(length));
  return text;
}

std::optional<std::string> Base64Decode(std::string_view text) {
  std::string letters(text);
  std::erase_if(letters, [](char c) { return c == '\n' || c == '\r'; });
  const auto padding =
      static_cast<size_t>(letters.end() - std::find_if(letters.begin(), letters.end(),
                                                       [](char c) { return c == '='; }));
  // EVP_DecodeBlock would take "=" anywhere for zero bits, and drop spaces and dashes at the ends.
  const auto data_end = letters.end() - static_cast<std::ptrdiff_t>(padding);
  if (letters.size() % 4 != 0 || padding > 2 ||
      !std::all_of(letters.begin(), data_end, IsBase64Letter) ||
      !std::all_of(data_end, letters.end(), [](char c) { return c == '='; }))
    return std::nullopt;
  std::string bytes(letters.size() / 4 * 3, '\0');
  const int length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                     reinterpret_cast<const unsigned char*>(letters.data()),
                                     static_cast<int>(letters.size()));
  if (length < 0) return std::nullopt;
  bytes.resize(static_cast<size_t>(length) - padding);
  return bytes;
}

}  // namespace fedra
