#include "base/sha256.h"

#include <openssl/evp.h>

#include <cstdlib>

namespace fedra {

std::string Sha256(std::string_view bytes) {
  std::string digest(32, '\0');
  // Fails only without memory, or where the library has no SHA-256: nothing can be decided then.
  if (EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(digest.data()),
                 nullptr, EVP_sha256(), nullptr) != 1)
    std::abort();
  return digest;
}

}  // namespace fedra
