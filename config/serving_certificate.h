#pragma once
//
// The certificate and key that a server of ours shows, from two files.
//
// Thread rules: any thread; blocks for the disk.

#include <string>

#include "base/result.h"

namespace fedra::config {

// PEM.
struct ServingCertificate {
  std::string certificates;
  std::string key;
};

// kInvalidArgument, with the file and what is wrong with it, and without any part of its data. One
// that has ended, or is not valid yet, is not wrong: clients say so themselves.
Result<ServingCertificate> ReadServingCertificate(const std::string& certificate_file,
                                                  const std::string& key_file);

}  // namespace fedra::config
