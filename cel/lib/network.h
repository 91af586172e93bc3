#pragma once
//
// IP addresses and CIDR blocks as values (Go's net/netip, without zones).
//
// Thread rules: plain values and pure functions.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace fedra::cel {

struct IpAddress {
  bool is_v4 = true;
  std::array<uint8_t, 16> bytes{};  // of an IPv4 address the first four
  bool operator==(const IpAddress&) const = default;
};

struct CidrBlock {
  IpAddress address;
  int prefix_length = 0;
  bool operator==(const CidrBlock&) const = default;
};

// Strict: no zones, no IPv4-mapped IPv6, no leading zeros.
Result<IpAddress> ParseIp(std::string_view text);
// Whether it is an IPv6 address, an IPv4-mapped one included.
bool IsIpv6(std::string_view text);
Result<CidrBlock> ParseCidr(std::string_view text);

// The canonical forms.
std::string ToString(const IpAddress& address);
std::string ToString(const CidrBlock& block);

}  // namespace fedra::cel
