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
#include "tests/support/temp_folder.h"

namespace fedra::config::test {

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
