#include "manager/cli/bundle/secrets.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

#include <nlohmann/json.hpp>

#include "base/ascii.h"
#include "base/base64.h"

namespace fedra::cli {
namespace {

constexpr size_t kShortestSecret = 4;
constexpr size_t kKey = sizeof(uint64_t);
constexpr std::string_view kRemoved = "[removed]";
constexpr std::string_view kPemBegin = "-----BEGIN ";
constexpr std::string_view kPemEnd = "-----END ";
constexpr std::string_view kDashes = "-----";
constexpr std::string_view kWebToken = "eyJ";  // {" in base64
// Words of an Authorization header; what follows is a secret.
constexpr std::array<std::string_view, 2> kSchemes = {"Bearer ", "Basic "};
// Which a password in an option (--insecure=true) is not, and which a document would miss.
constexpr std::array<std::string_view, 3> kJsonWords = {"true", "false", "null"};

// What a name ends with whose value is a secret: AWS_SECRET_ACCESS_KEY=..., "clientSecret": "...".
constexpr std::array<std::string_view, 10> kSecretNames = {
    "password", "passwd",     "passphrase", "secret",     "token",
    "apikey",   "access_key", "access-key", "credential", "private_key"};

uint64_t FirstBytes(std::string_view text) {
  uint64_t key = 0;
  std::memcpy(&key, text.data(), kKey);
  return key;
}

bool IsTokenByte(char c) {
  return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.' || c == '+' || c == '/' ||
         c == '=' || c == '~';
}

size_t TokenLength(std::string_view text) {
  return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), IsTokenByte) -
                             text.begin());
}

// From BEGIN to END of a private key in PEM, lines in whatever form.
size_t PrivateKey(std::string_view text) {
  if (!text.starts_with(kPemBegin)) return 0;
  const size_t title_end = text.find(kDashes, kPemBegin.size());
  if (title_end == std::string_view::npos ||
      text.substr(0, title_end).find("PRIVATE KEY") == std::string_view::npos)
    return 0;
  const size_t end = text.find(kPemEnd, title_end);
  if (end == std::string_view::npos) return text.size();
  const size_t closed = text.find(kDashes, end + kPemEnd.size());
  return closed == std::string_view::npos ? text.size() : closed + kDashes.size();
}

// Three parts with dots between them; the last may be empty.
size_t WebToken(std::string_view text) {
  if (!text.starts_with(kWebToken)) return 0;
  const size_t length = TokenLength(text);
  return std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(length), '.') == 2 ? length
                                                                                           : 0;
}

// Of "user:password@host", what is before the @.
size_t UserInfo(std::string_view text) {
  const size_t end = text.find_first_of("@/?# \t\r\n\"'<>");
  return end == std::string_view::npos || text[end] != '@' ? 0 : end;
}

bool EndsWithSecretName(std::string_view before) {
  before = before.substr(0, before.find_last_not_of(" \t") + 1);
  if (before.ends_with('"') || before.ends_with('\'')) before.remove_suffix(1);
  return std::ranges::any_of(kSecretNames, [&](std::string_view name) {
    return before.size() >= name.size() &&
           ToLower(before.substr(before.size() - name.size())) == name;
  });
}

// Of `= "value"` or `: value`: what is before the value, and the value; {0, 0} where none is.
struct Value {
  size_t begin = 0;
  size_t length = 0;
};
Value ValueAt(std::string_view text) {
  size_t begin = 1;
  while (begin < text.size() && (text[begin] == ' ' || text[begin] == '\t')) ++begin;
  if (begin == text.size()) return {};
  const char quote = text[begin];
  if (quote == '"' || quote == '\'') {
    size_t end = ++begin;
    while (end < text.size() && text[end] != quote) end += text[end] == '\\' ? 2 : 1;
    return {begin, std::min(end, text.size()) - begin};
  }
  const size_t end = std::min(text.find_first_of(" \t\r\n,;&\"'()[]{}<>", begin), text.size());
  const std::string_view word = text.substr(begin, end - begin);
  if (std::ranges::find(kJsonWords, word) != kJsonWords.end()) return {};
  return {begin, word.size()};
}

}  // namespace

void Secrets::AddForm(std::string form) {
  if (form.size() >= kKey)
    long_.emplace(FirstBytes(form), std::move(form));
  else if (form.size() >= kShortestSecret)
    short_.push_back(std::move(form));
}

void Secrets::Add(const std::string& secret) {
  if (secret.size() < kShortestSecret || std::ranges::find(kJsonWords, secret) != kJsonWords.end())
    return;
  AddForm(secret);
  AddForm(Base64Encode(secret));
  const std::string quoted =
      nlohmann::json(secret).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  AddForm(quoted.substr(1, quoted.size() - 2));
  if (!secret.starts_with(kPemBegin)) return;
  std::istringstream lines(secret);
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with(kDashes)) AddForm(line);
}

// "user:password": Basic authentication has it in base64.
void Secrets::AddLogin(std::string_view login) {
  const size_t colon = login.find(':');
  if (colon == std::string_view::npos) return;
  Add(std::string(login));
  Add(std::string(login.substr(colon + 1)));
}

// Which option of a credential plugin is its secret is the plugin's to know. An option that has no
// value in it (--client-secret) is no secret.
void Secrets::AddArgument(const std::string& argument) {
  const size_t equals = argument.find('=');
  if (equals == std::string::npos && argument.starts_with("--")) return;
  Add(argument);
  if (equals != std::string::npos) Add(argument.substr(equals + 1));
}

void Secrets::AddAccess(const config::KubeAccess& access) {
  for (const std::string* secret :
       {&access.token, &access.password, &access.client_key_pem, &access.client_certificate_pem,
        &access.ca_pem, &access.proxy_url})
    Add(*secret);
  if (const size_t user = access.proxy_url.find("://"); user != std::string::npos) {
    const std::string_view info = std::string_view(access.proxy_url).substr(user + 3);
    AddLogin(info.substr(0, UserInfo(info)));
  }
  if (!access.password.empty()) AddLogin(access.username + ":" + access.password);
  if (!access.token_file.empty()) {
    std::ifstream file(access.token_file, std::ios::binary);
    std::string token(std::istreambuf_iterator<char>(file), {});
    while (!token.empty() && std::isspace(static_cast<unsigned char>(token.back())) != 0)
      token.pop_back();
    Add(token);
  }
  if (access.exec) AddPlugin(*access.exec);
}

void Secrets::AddPlugin(const config::ExecAccess& plugin) {
  for (const config::ExecVariable& variable : plugin.env) Add(variable.value);
  for (const std::string& argument : plugin.args) AddArgument(argument);
}

void Secrets::AddAll(const config::Loaded& loaded) {
  for (const config::AccessProvider& provider : loaded.configuration.workers_from.access_providers)
    AddPlugin(provider.exec);
  if (loaded.manager) AddAccess(*loaded.manager);
  for (const config::ClusterAccess& worker : loaded.workers)
    if (worker) AddAccess(*worker);
}

size_t Secrets::At(std::string_view text) const {
  size_t length = 0;
  if (text.size() >= kKey) {
    const auto [begin, end] = long_.equal_range(FirstBytes(text));
    for (auto each = begin; each != end; ++each)
      if (text.starts_with(each->second)) length = std::max(length, each->second.size());
  }
  for (const std::string& secret : short_)
    if (text.starts_with(secret)) length = std::max(length, secret.size());
  if (text.front() == '-') length = std::max(length, PrivateKey(text));
  if (text.front() == 'e') length = std::max(length, WebToken(text));
  return length;
}

std::string Secrets::Removed(std::string_view text) const {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    if (const size_t length = At(text); length > 0) {
      out += kRemoved;
      text.remove_prefix(length);
      continue;
    }
    // What follows these words is a secret, whatever it is.
    size_t word = 0, secret = 0;
    if ((text.front() == '=' || text.front() == ':') && EndsWithSecretName(out)) {
      const Value value = ValueAt(text);
      word = value.begin;
      secret = value.length;
    }
    if (text.starts_with("://")) {
      word = 3;
      secret = UserInfo(text.substr(word));
    }
    for (const std::string_view scheme : kSchemes) {
      if (!text.starts_with(scheme)) continue;
      word = scheme.size();
      secret = TokenLength(text.substr(word));
    }
    if (secret > 0) {
      out += text.substr(0, word);
      out += kRemoved;
      text.remove_prefix(word + secret);
      continue;
    }
    out += text.front();
    text.remove_prefix(1);
  }
  return out;
}

}  // namespace fedra::cli
