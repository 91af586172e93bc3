#pragma once
//
// Files and certificates for the tests of config/. Certificates are made on the spot, so that
// nothing in the repository looks like a credential.

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "config/problem.h"

namespace fedra::config::test {

// An own folder that is removed at the end.
class TempFolder final {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string Path(std::string_view name) const;
  // Returns the file's path.
  std::string Write(std::string_view name, std::string_view text) const;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct KeyPair {
  std::string certificate_pem;
  std::string key_pem;
};
// A self-signed certificate with the subject CN=<name>.
KeyPair MakeCertificate(const std::string& name, WallTime not_before, WallTime not_after);
// The same key, behind a passphrase.
std::string EncryptKey(const std::string& key_pem);

std::string Base64(std::string_view bytes);

// 2026-06-01T00:00:00Z: "now" of these tests.
WallTime Now();

// The problems as text, with every occurrence of the folder's path replaced by "DIR".
std::string Text(const Problems& problems, const TempFolder& folder);

}  // namespace fedra::config::test
