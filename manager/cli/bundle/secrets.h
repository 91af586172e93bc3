#pragma once
//
// Takes secrets out of texts that leave the machine. What this program writes by itself has none; a
// log file, an error of a server or a proxy may.
//
// Thread rules: filled by one thread, then const.

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "config/load.h"

namespace fedra::cli {

class Secrets final {
 public:
  // A token, a password, a key or certificate (PEM): as it is, in base64 as kubeconfigs have it, as
  // JSON writes it, and each line of a PEM by itself. What is shorter than four bytes is ignored,
  // and so are JSON's true, false and null.
  void Add(const std::string& secret);
  // Of the manager and the workers: token files, passwords in proxy URLs, and the arguments and
  // variables of credential plugins included.
  void AddAll(const config::Loaded& loaded);

  // The text with "[removed]" in the place of every secret that was added, and of what looks like
  // one: private keys, JSON web tokens, the value behind Bearer and Basic, user and password in a
  // URL, the value of what is called a password, secret, token, access key or credential.
  std::string Removed(std::string_view text) const;

 private:
  void AddForm(std::string form);
  void AddLogin(std::string_view login);
  void AddArgument(const std::string& argument);
  void AddPlugin(const config::ExecAccess& plugin);
  void AddAccess(const config::KubeAccess& access);
  // How many bytes of a secret stand here; 0: none does.
  size_t At(std::string_view text) const;

  std::unordered_multimap<uint64_t, std::string> long_;  // by their first eight bytes
  std::vector<std::string> short_;                       // of four to seven bytes
};

}  // namespace fedra::cli
