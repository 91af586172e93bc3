#include "cel/lib/network.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace fedra::cel {
namespace {

std::optional<IpAddress> ParseV4(std::string_view text) {
  IpAddress address;
  for (size_t field = 0; field < 4; ++field) {
    const size_t length = std::min(text.find('.'), text.size());
    const std::string_view digits = text.substr(0, length);
    if (digits.empty() || digits.size() > 3 || (digits.size() > 1 && digits[0] == '0'))
      return std::nullopt;
    int value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || value > 255)
      return std::nullopt;
    address.bytes[field] = static_cast<uint8_t>(value);
    text.remove_prefix(length);
    if (field < 3) {
      if (text.empty()) return std::nullopt;
      text.remove_prefix(1);
    }
  }
  return text.empty() ? std::optional(address) : std::nullopt;
}

// Groups of an IPv6 address up to the end; `gap` is where "::" was, -1 without.
std::optional<IpAddress> ParseV6(std::string_view text) {
  IpAddress address;
  address.is_v4 = false;
  size_t at = 0;
  int gap = -1;
  if (text.substr(0, 2) == "::") {
    gap = 0;
    text.remove_prefix(2);
  }
  while (!text.empty() && at < 16) {
    uint32_t group = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), group, 16);
    const auto length = static_cast<size_t>(end - text.data());
    if (error != std::errc() || length > 4) return std::nullopt;
    if (length < text.size() && text[length] == '.') {
      const auto v4 = ParseV4(text);
      if (!v4 || at > 12 || (gap < 0 && at != 12)) return std::nullopt;
      std::copy_n(v4->bytes.begin(), 4, address.bytes.begin() + static_cast<ptrdiff_t>(at));
      at += 4;
      text = {};
      break;
    }
    address.bytes[at] = static_cast<uint8_t>(group >> 8);
    address.bytes[at + 1] = static_cast<uint8_t>(group);
    at += 2;
    text.remove_prefix(length);
    if (text.empty()) break;
    if (text[0] != ':' || text.size() == 1) return std::nullopt;
    text.remove_prefix(1);
    if (text[0] == ':') {
      if (gap >= 0) return std::nullopt;
      gap = static_cast<int>(at);
      text.remove_prefix(1);
    }
  }
  if (!text.empty()) return std::nullopt;
  if (at == 16) return gap < 0 ? std::optional(address) : std::nullopt;
  if (gap < 0) return std::nullopt;
  const auto tail = address.bytes.begin() + gap;
  std::copy_backward(tail, address.bytes.begin() + static_cast<ptrdiff_t>(at), address.bytes.end());
  std::fill(tail, tail + static_cast<ptrdiff_t>(16 - at), uint8_t{0});
  return address;
}

bool IsV4Mapped(const IpAddress& address) {
  if (address.is_v4 || address.bytes[10] != 0xFF || address.bytes[11] != 0xFF) return false;
  return std::all_of(address.bytes.begin(), address.bytes.begin() + 10,
                     [](uint8_t byte) { return byte == 0; });
}

// The longest run of at least two zero groups, as first and one-past-last group.
std::pair<size_t, size_t> LongestZeroRun(const std::array<uint16_t, 8>& groups) {
  std::pair<size_t, size_t> best{8, 8};
  for (size_t i = 0; i < 8; ++i) {
    size_t end = i;
    while (end < 8 && groups[end] == 0) ++end;
    if (end - i >= 2 && end - i > best.second - best.first) best = {i, end};
    i = std::max(i, end);
  }
  return best;
}

std::string V6ToString(const IpAddress& address) {
  std::array<uint16_t, 8> groups{};
  for (size_t i = 0; i < 8; ++i) {
    groups[i] = static_cast<uint16_t>(address.bytes[2 * i] << 8 | address.bytes[2 * i + 1]);
  }
  const auto [run, run_end] = LongestZeroRun(groups);
  std::string text;
  for (size_t i = 0; i < 8; ++i) {
    if (i == run) {
      text += "::";
      i = run_end;
      if (i == 8) break;
    } else if (i > 0) {
      text += ":";
    }
    std::array<char, 8> hex;
    text.append(hex.data(), std::to_chars(hex.data(), hex.data() + hex.size(), groups[i], 16).ptr);
  }
  return text;
}

}  // namespace

Result<IpAddress> ParseIp(std::string_view text) {
  if (text.find('%') != std::string_view::npos) {
    return Fail(ErrorCode::kInvalidArgument,
                "IP address \"" + std::string(text) + "\" with zone value is not allowed");
  }
  const bool colon = text.find(':') != std::string_view::npos;
  const auto address = colon ? ParseV6(text) : ParseV4(text);
  if (!address) {
    return Fail(ErrorCode::kInvalidArgument,
                "IP Address \"" + std::string(text) +
                    "\" parse error during conversion from string: unable to parse IP");
  }
  if (IsV4Mapped(*address)) {
    return Fail(ErrorCode::kInvalidArgument,
                "IPv4-mapped IPv6 address \"" + std::string(text) + "\" is not allowed");
  }
  return *address;
}

bool IsIpv6(std::string_view text) {
  return text.find(':') != std::string_view::npos && ParseV6(text).has_value();
}

Result<CidrBlock> ParseCidr(std::string_view text) {
  const auto bad = [&] {
    return Fail(ErrorCode::kInvalidArgument,
                "network address parse error during conversion from string: \"" +
                    std::string(text) + "\" is no address/prefix");
  };
  const size_t slash = text.rfind('/');
  if (slash == std::string_view::npos || text.substr(0, slash).find('%') != std::string_view::npos)
    return bad();
  const auto address = ParseIp(text.substr(0, slash));
  if (!address) return Fail(address.error());
  const std::string_view digits = text.substr(slash + 1);
  if (digits.empty() || digits.size() > 3 || (digits.size() > 1 && digits[0] == '0')) return bad();
  int length = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
  if (error != std::errc() || end != digits.data() + digits.size()) return bad();
  if (length < 0 || length > (address->is_v4 ? 32 : 128)) return bad();
  return CidrBlock{*address, length};
}

std::string ToString(const IpAddress& address) {
  if (!address.is_v4) return V6ToString(address);
  std::string text;
  for (size_t i = 0; i < 4; ++i) text += (i > 0 ? "." : "") + std::to_string(address.bytes[i]);
  return text;
}

std::string ToString(const CidrBlock& block) {
  return ToString(block.address) + "/" + std::to_string(block.prefix_length);
}

}  // namespace fedra::cel
